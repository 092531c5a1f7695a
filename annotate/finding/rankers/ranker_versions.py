"""Which trained stages serve: one name, or none, chosen for Find and for Related's map."""

from collections.abc import Mapping
from typing import Any

from annotate.project.acting import own_name
from annotate.registry.kinds import FOR_FINDING, OF_FIND
from annotate.registry.versions import NONE, choose, version_named
from db.tables import ModelVersion
from db.values import Kind


def use(name: str, stage: str | None = None, *, by: str) -> dict[str, str | None]:
    """Lets a version serve its stage from now on; "none" lets none serve `stage`, or without one any stage of Find.

    Returns the name that serves, by stage changed. Raises ValueError, DamagedModel.
    """
    chosen: dict[Kind, ModelVersion | None]
    if name == NONE:
        chosen = dict.fromkeys([stage_named(stage)] if stage else OF_FIND)
    else:
        version = version_named(name, *FOR_FINDING)
        if stage not in (None, version.kind):
            raise ValueError(f"{name} is a version of {version.kind}, not of {stage}")
        chosen = {Kind(version.kind): version}
    for kind, version_or_none in chosen.items():
        choose(kind, version_or_none, by=own_name(by))
    return {str(kind): version.name if version else None for kind, version in chosen.items()}


def stage_named(name: str) -> Kind:
    """The trained stage of this name. Raises ValueError that lists them."""
    if name not in FOR_FINDING:
        raise ValueError(f"no stage {name!r} is trained; there are {', '.join(FOR_FINDING)}")
    return Kind(name)


def measures_of(metrics: Mapping[str, Any]) -> str:
    """What a version measures, in words: the cross-validated nDCG@10 where there is one, else what words were found."""
    validated = metrics.get("cross_validated", {})
    if validated:
        return "nDCG@10 by cross-validation: " + ", ".join(
            f"{name} {own['ndcg_at_10']:.3f}" for name, own in validated.items()
        )
    if "recall" in metrics:
        return f"words of documents held out: recall {metrics['recall']:.3f}, precision {metrics['precision']:.3f}"
    if "published" in metrics:
        return f"comes with Keyline; its measures stand in {metrics['published']}"
    if "after" in metrics:
        before, after = (metrics[when]["recall_at_50"] for when in ("before", "after"))
        return f"recall@50 of what {metrics['n']:,} articles cite: {after:.3f}, {before:.3f} without a map"
    return "not measured; train with --folds, or see find evaluate"
