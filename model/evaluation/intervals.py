"""Intervals of shares and counts: Wilson's for a share, and the exact upper bound of the mean of a count."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from scipy.special import chdtri, ndtri

LEVEL = 0.95
_FLIPS_AT_ONCE = 10_000


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value with the lower and upper bound of its interval, in the value's unit."""

    value: float
    low: float
    high: float


def wilson(hits: float, n: float, level: float = LEVEL) -> Estimate:
    """A share and its score interval, all 0 to 1; hits and n may be weighted. Sensible at 0 and n hits.

    Raises ValueError unless 0 <= hits <= n and n > 0. Source: Wilson 1927; Brown, Cai and DasGupta 2001.
    """
    if not 0 <= hits <= n or n <= 0:
        raise ValueError(f"{hits} of {n} is not a share; needs 0 <= hits <= n and n above 0")
    z = ndtri((1 + level) / 2)
    share, spread = hits / n, z * z / n
    middle = (share + spread / 2) / (1 + spread)
    half = z * np.sqrt(share * (1 - share) / n + spread / (4 * n)) / (1 + spread)
    return Estimate(share, max(0.0, float(min(middle - half, share))), min(1.0, float(max(middle + half, share))))


def poisson_upper(count: float, level: float = LEVEL) -> float:
    """The mean above which so few events or fewer would be seen in less than 1 - level of cases.

    3.00 for none: the rule of three (Hanley and Lippman-Hand 1983). Source: Garwood 1936.
    """
    return float(chdtri(2 * (count + 1), 1 - level) / 2)


def clustered_share(hits: Sequence[float], sizes: Sequence[float], level: float = LEVEL) -> Estimate:
    """The share of all hits among all members, its Wilson interval widened for hits that come in clusters (articles).

    The sample counts as n / deff members, deff (1 or more) being the variance between clusters over the binomial one.
    Raises ValueError where the clusters have no member. Source: Rao and Scott 1992.
    """
    hit, size = np.asarray(hits, dtype=float), np.asarray(sizes, dtype=float)
    n, clusters = float(size.sum()), int((size > 0).sum())
    share = float(hit.sum()) / n if n else 0.0
    binomial = share * (1 - share)
    design = 1.0
    if binomial > 0 and clusters > 1:
        design = max(1.0, clusters / (clusters - 1) * float(((hit - share * size) ** 2).sum()) / n / binomial)
    return wilson(float(hit.sum()) / design, n / design, level)


def sign_flip(differences: Sequence[float], rounds: int = 100_000, seed: int = 0) -> float:
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
    generator = np.random.default_rng(seed)
    reached = 0
    for start in range(0, rounds, _FLIPS_AT_ONCE):
        signs = generator.choice((-1.0, 1.0), (min(_FLIPS_AT_ONCE, rounds - start), seen.size))
        reached += int((signs @ seen >= least).sum())
    return (reached + 1) / (rounds + 1)


def spent(total: float, tries: int) -> float:
    """The share of an error that the last of `tries` tries may use, so that all tries ever made stay below `total`.

    Half of it for the first, a sixth for the second, a twelfth for the third: total / (n (n + 1)). ValueError below 1.
    """
    if tries < 1:
        raise ValueError(f"{tries} tries; there must be one at least")
    return total / (tries * (tries + 1))
