"""A learning curve: how a score grows with the number of labels, and what more of them may bring."""

from collections.abc import Sequence

import numpy as np

from model.evaluation.intervals import Estimate

MIN_POINTS = 3
NORMAL_95 = 1.96


def expected_gain(
    sizes: Sequence[float], scores: Sequence[float], errors: Sequence[float], *, now: float, then: float
) -> Estimate:
    """What going from `now` to `then` labels adds to the score, with its 95% interval: b ln(then / now).

    score = a + b ln(size), by least squares weighted with the scores' standard errors; where the points scatter more
    than these say, the slope's error grows with them (Birge 1932). Scores of the same test articles err together, so
    the interval is rather too wide. ValueError for fewer than 3 points, equal sizes, or what is not above 0.
    """
    x, y = np.log(_positive("sizes", sizes)), np.asarray(scores, dtype=float)
    weights = 1 / _positive("errors", errors) ** 2
    if not len(x) == len(y) == len(weights) >= MIN_POINTS or np.ptp(x) == 0:
        raise ValueError(f"a curve needs {MIN_POINTS} points of different sizes, not {list(sizes)}")
    centred = x - np.average(x, weights=weights)
    spread = float(weights @ centred**2)
    slope = float(weights @ (centred * y)) / spread
    residuals = y - np.average(y, weights=weights) - slope * centred
    scatter = float(weights @ residuals**2) / (len(x) - 2)
    error = (max(1.0, scatter) / spread) ** 0.5
    step = float(np.diff(np.log(_positive("sizes", [now, then])))[0])
    ends = sorted((slope + sign * NORMAL_95 * error) * step for sign in (-1, 1))
    return Estimate(slope * step, *ends)


def _positive(name: str, values: Sequence[float]) -> np.ndarray:
    given = np.asarray(values, dtype=float)
    if not (given > 0).all():
        raise ValueError(f"{name} are {given.tolist()}; they must be above 0")
    return given
