"""Intervals of shares and counts: Wilson's for a share, the exact upper bound of a mean, a prediction of a count."""

import math
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
import scipy

LEVEL = 0.95
_DUST = 1e-9  # of arithmetic: 3 that became 3.0000000001 is no 4
_FLIPS_AT_ONCE = 10_000
_NODES = 400  # shares, equally likely, that stand for a distribution: ten of them beyond each bound


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value with the lower and upper bound of its interval, in the value's unit."""

    value: float
    low: float
    high: float

    def whole(self, most: float = math.inf) -> tuple[int, int, int]:
        """(value, low, high) of a number of things, none above `most`, the bounds rounded outwards."""
        bounds = round(self.value), math.floor(self.low + _DUST), math.ceil(self.high - _DUST)
        value, low, high = (int(min(most, bound)) for bound in bounds)
        return value, low, high

    def in_things(self, most: float = math.inf) -> str:
        """A number of things with its interval, as in 1,200 (900 to 1,541)."""
        value, low, high = self.whole(most)
        return f"{value:,} ({low:,} to {high:,})"


def wilson(hits: float, n: float, level: float = LEVEL) -> Estimate:
    """A share and its score interval, all 0 to 1; hits and n may be weighted. Sensible at 0 and n hits.

    Raises ValueError unless 0 <= hits <= n and n > 0. Source: Wilson 1927; Brown, Cai and DasGupta 2001.
    """
    if not 0 <= hits <= n or n <= 0:
        raise ValueError(f"{hits} of {n} is not a share; needs 0 <= hits <= n and n above 0")
    z = scipy.special.ndtri((1 + level) / 2)
    share, spread = hits / n, z * z / n
    middle = (share + spread / 2) / (1 + spread)
    half = z * np.sqrt(share * (1 - share) / n + spread / (4 * n)) / (1 + spread)
    return Estimate(share, max(0.0, float(min(middle - half, share))), min(1.0, float(max(middle + half, share))))


def clustered_share(hits: Sequence[float], sizes: Sequence[float]) -> Estimate:
    """The share of all hits among all members, its Wilson interval widened for hits that come in clusters (articles).

    The sample counts as n / deff members, deff (1 or more) being the variance between clusters over the binomial one.
    Raises ValueError where the clusters have no member. Source: Rao and Scott 1992.
    """
    design = design_effect(hits, sizes)
    return wilson(sum(hits) / design, sum(sizes) / design)


def design_effect(hits: Sequence[float], sizes: Sequence[float]) -> float:
    """The variance of a share between clusters over the binomial one, 1 or more.

    With an effect of 2, two members tell as much as one that was drawn by itself. Source: Rao and Scott 1992.
    """
    hit, size = np.asarray(hits, dtype=float), np.asarray(sizes, dtype=float)
    n, clusters = float(size.sum()), int((size > 0).sum())
    share = float(hit.sum()) / n if n else 0.0
    binomial = share * (1 - share)
    if binomial <= 0 or clusters < 2:
        return 1.0
    return max(1.0, clusters / (clusters - 1) * float(((hit - share * size) ** 2).sum()) / n / binomial)


def others_by_share(rest: float, hits: float, n: float, least: int = 0, scale: float = 1.0) -> Estimate:
    """How many hits a further sample holds of which only the `rest` that are none were counted: a prediction interval.

    `hits` of `n` members of the first sample were hits. The further hits are beta negative binomial: their number is
    negative binomial for a known share, and the share has the posterior of Jeffreys' prior. `least` hits are known to
    be there. `scale` is the design effect of both samples, where members come in clusters. The bounds are whole.
    Raises ValueError unless 0 <= hits < n. Source: Meeker, Hahn and Escobar 2017, Statistical Intervals, chapter 6.
    """
    if not 0 <= hits < n:
        raise ValueError(f"{hits} of {n} is no share below 1; needs 0 <= hits < n")
    outside = (1 - LEVEL) / 2
    none = scipy.special.betaincinv((n - hits) / scale + 0.5, hits / scale + 0.5, (np.arange(_NODES) + 0.5) / _NODES)

    def up_to(most: float) -> float:
        return float(scipy.special.betainc(rest / scale + 0.5, most / scale + 1, none).mean()) if most >= 0 else 0.0

    def smallest(probability: float) -> int:
        end = 1
        while up_to(end) < probability:
            end *= 2
        return bisect_left(range(end), probability, key=up_to)

    low = smallest(outside)
    high = smallest(1 - outside * (1 - up_to(least - 1)))  # of the cases that hold `least`
    value = rest * hits / (n - hits)
    return Estimate(min(max(value, least), high), min(max(low, least), high), high)


def sign_flip(differences: Sequence[float], rounds: int = 100_000) -> float:
    """How often two equally good versions would differ as much in favour of the second: a p value, above 0 to 1.

    Each article's difference might as well have had the other sign. One-sided; of all choices of signs where these are
    no more than `rounds`, else of `rounds` random ones, the one seen counted among them. 1 for no differences.
    Source: Fisher 1935; Smucker, Allan and Carterette 2007.
    """
    seen = np.asarray(differences, dtype=float)
    seen = seen[seen != 0]
    if not seen.size:
        return 1.0
    least = seen.sum() - 1e-9
    if 2**seen.size <= rounds:
        return float(np.mean(np.array(list(product((-1.0, 1.0), repeat=seen.size))) @ seen >= least))
    generator = np.random.default_rng(0)
    reached = 0
    for start in range(0, rounds, _FLIPS_AT_ONCE):
        signs = generator.choice((-1.0, 1.0), (min(_FLIPS_AT_ONCE, rounds - start), seen.size))
        reached += int((signs @ seen >= least).sum())
    return (reached + 1) / (rounds + 1)
