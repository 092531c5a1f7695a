"""What each metric is called where people read it: in tables, forms and charts."""

from collections.abc import Callable, Mapping
from typing import Any

from model.evaluation.outcomes import CUTS, MEASURES

# Short enough for the heading of a column.
HEADINGS = {
    "arp": "ARP",
    "arp_low": "ARP low",
    "arp_high": "ARP high",
    "r_precision": "ARP",
    "mean_average_precision": "MAP",
    "average_precision": "MAP",
    **{f"precision_at_{k}": f"precision@{k}" for k in CUTS},
    **{f"recall_at_{k}": f"recall@{k}" for k in CUTS},
    "ndcg_at_20": "nDCG@20",
    "bpref": "bpref, fair",
    "arp_fair": "ARP, fair",
    "fair": "fair articles",
    "unjudged_share": "unjudged",
    "arp_without": "ARP without document labels",
    "mse": "MSE",
    "pearson": "PCC",
}
# For places with room, where no other text says what they are of.
LABELS = HEADINGS | {"arp": "Average R-Precision", "mse": "MSE of the cosines", "pearson": "PCC of the cosines"}
# The measures of a report, in the order of its table.
REPORT_LABELS = {name: LABELS[name] for name in MEASURES}


def written(value: float, digits: int = 3) -> str:
    """A number as people read it everywhere: 0.583, with a true minus, and never minus nothing."""
    return f"{round(value, digits) + 0.0:.{digits}f}".replace("-", "\N{MINUS SIGN}")


def change_written(value: float, digits: int = 3) -> str:
    """A difference with its sign: +0.012; nothing has none."""
    rounded = round(value, digits) + 0.0
    return f"{rounded:+.{digits}f}".replace("-", "\N{MINUS SIGN}") if rounded else written(0.0, digits)


def interval_text(
    value: float | None,
    low: float | None,
    high: float | None,
    number: Callable[[float, int], str] = written,
    digits: int = 3,
    bounds_digits: int = 3,
    none: str = "–",
) -> str:
    """A value with its bounds, each written by `number`: 0.708 (0.542 to 0.921); `none` where there is no value."""
    if value is None:
        return none
    text = number(value, digits)
    if low is None or high is None:
        return text
    return f"{text} ({number(low, bounds_digits)} to {number(high, bounds_digits)})"


def ends_of(stored: Mapping[str, float] | None) -> tuple[float | None, float | None, float | None]:
    """(mean, low, high) as a report stores them, for `interval_text`."""
    return (stored["mean"], stored["low"], stored["high"]) if stored else (None, None, None)


def metric_of(metrics: Mapping[str, Any], name: str) -> Any:
    """A metric of a stored evaluation; None where one of an earlier release does not tell it."""
    return metrics.get("without_document_labels", {}).get("arp") if name == "arp_without" else metrics.get(name)
