"""Versions of the encoder: the one that proposes, how two compare, and when one may be promoted."""

import json
import shutil
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from sqlalchemy.orm import Session

import db.proposing.versions
import db.rows
from annotate.project.acting import own_name
from annotate.project.home import folder, read, write
from annotate.project.rights import Right
from annotate.project.whole_files import OWNER_ONLY
from annotate.proposing.judged import judged_of
from annotate.registry.versions import NotPromotable, promote, register, version_named
from annotate.topics.project_topic import topic_now
from db.tables import Evaluation, ModelVersion, Promotion
from db.values import Kind, Split
from model.evaluation.metrics import Interval
from model.evaluation.summary import mean_difference
from model.files import embedded_encoder
from model.proposing.ranking import Ranking

EMBEDDED = "all-MiniLM-L6-v2"
# The bootstrap of fewer articles is too narrow: three better ones of six would pass, which a coin does 1 time in 8.
MIN_ARTICLES = 10


@dataclass(frozen=True, slots=True)
class Comparison:
    """The proposing version and a candidate on the same test articles under the same labels.

    `scores` are the R-precisions before and after of each of them, by article id; `fair` the pairs of the articles in
    which the first sentences of both were judged. Both are empty where either version was not evaluated.
    """

    before: Evaluation | None
    after: Evaluation | None
    scores: dict[int, tuple[float, float]] = field(default_factory=dict)
    fair: dict[int, tuple[float, float]] = field(default_factory=dict)

    @property
    def is_fair(self) -> bool:
        """Whether enough articles are fair to both, so that the others are left out."""
        return len(self.fair) >= min(MIN_ARTICLES, max(1, len(self.scores)))

    @property
    def deciding(self) -> dict[int, tuple[float, float]]:
        """The scores that decide: of the fair articles where these are enough, else of all."""
        return self.fair if self.is_fair else self.scores

    @property
    def arps(self) -> tuple[float, float] | None:
        """Both ARPs, before and after, on the fair articles if these are enough, else on all; None where either was
        not evaluated under these labels."""
        if self.before is None or self.after is None:
            return None
        if self.is_fair:
            before, after = zip(*self.fair.values(), strict=True)
            return sum(before) / len(before), sum(after) / len(after)
        return self.before.metrics["arp"], self.after.metrics["arp"]

    @property
    def change(self) -> Interval | None:
        """The mean difference on the deciding articles with its paired 95 % interval; None without such articles."""
        if not self.deciding:
            return None
        before, after = zip(*self.deciding.values(), strict=True)
        return mean_difference(after, before)

    @property
    def direction(self) -> int | None:
        """1 where the candidate is shown to rank better, -1 where it is shown to rank worse, 0 where no difference is
        shown; None where either was not evaluated under these labels."""
        if self.arps is None:
            return None
        return direction_of(self.change, len(self.deciding)) if self.change else 0

    @property
    def worse(self) -> bool | None:
        """Whether the candidate is shown to rank worse; None where either was not evaluated under these labels."""
        return None if self.direction is None else self.direction < 0


def direction_of(change: Interval, articles: int) -> int:
    """1 for better and -1 for worse by more than chance; 0 where the interval of the mean difference, to the three
    digits that people see, holds 0, or is of fewer than MIN_ARTICLES."""
    if articles < MIN_ARTICLES:
        return 0
    return int(round(change.low, 3) > 0) - int(round(change.high, 3) < 0)


def register_encoder(
    session: Session, path: Path, *, name: str, encoder: str, topic_sha256: str | None = None, **values: object
) -> ModelVersion:
    """Records a saved encoder (inside models/) as a version for a topic, by default the project's."""
    return register(
        session,
        Kind.ENCODER,
        path,
        name=name,
        encoder=encoder,
        topic_sha256=topic_sha256 or topic_now(session).sha256,
        dimension=_dimension(path),
        **values,
    )


def _dimension(path: Path) -> int:
    for config in sorted(path.rglob("*_Pooling/config.json")):
        settings = json.loads(config.read_text())
        return int(settings.get("embedding_dimension") or settings["word_embedding_dimension"])
    return int(json.loads((path / "config.json").read_text())["hidden_size"])


def proposing_version() -> ModelVersion:
    """The promoted version; on a new database the embedded encoder becomes it."""
    with read() as session:
        version = db.proposing.versions.promoted(session)
    if version is not None:
        return version
    target = folder("models") / EMBEDDED
    if not target.exists():
        copy_embedded(target)
    with write(Right.SYSTEM) as session:
        version = db.proposing.versions.promoted(session)
        if version is None:
            version = register_encoder(session, target, name=EMBEDDED, encoder=EMBEDDED)
            told = {"promoted_by": "Keyline", "reason": "the embedded encoder, to begin with"}
            db.rows.add(session, Promotion(kind=Kind.ENCODER, version_id=version.id, **told))
    return version


def copy_embedded(target: Path) -> None:
    """Copies the embedded encoder next to the target and renames it, so that it is there whole or not at all."""
    with TemporaryDirectory(dir=target.parent, prefix="partial-") as parent:
        partial = Path(parent) / target.name
        shutil.copytree(embedded_encoder(), partial, ignore=shutil.ignore_patterns(".*", "README*", "data_config.json"))
        for path in (partial, *partial.rglob("*")):  # the package's modes let others read, as befits a package
            path.chmod(0o700 if path.is_dir() else OWNER_ONLY)
        try:
            partial.rename(target)
        except OSError:
            if not target.exists():  # else another process was faster, with the same files
                raise


def find_version(name: str | None) -> ModelVersion:
    """The encoder of this name, or the proposing one for None. Raises ValueError that lists the names."""
    return proposing_version() if name is None else version_named(name, Kind.ENCODER)


def compare(session: Session, candidate_id: int, label_set_sha256: str, ranking: str) -> Comparison:
    """The latest test evaluations of the proposing version and of a candidate under one label set."""
    serving = db.proposing.versions.promoted(session)
    before, after = (
        db.proposing.versions.latest_evaluation(session, version_id, ranking, Split.TEST, label_set_sha256)
        if version_id
        else None
        for version_id in (serving.id if serving else None, candidate_id)
    )
    return comparison(session, before, after)


def comparison(session: Session, before: Evaluation | None, after: Evaluation | None) -> Comparison:
    """Two evaluations compared, of any rankings. One from before further sentences were judged does not count."""
    before, after = (found if found and judged_as_now(session, found) else None for found in (before, after))
    if before is None or after is None:
        return Comparison(before, after)
    one, other = (
        {article.id: score.r_precision for score, article in db.proposing.versions.article_scores(session, found.id)}
        for found in (before, after)
    )
    scores = {number: (one[number], other[number]) for number in sorted(one.keys() & other.keys())}
    # Evaluations of earlier releases do not say which articles are fair.
    judged = set(before.metrics.get("fair_articles", ())) & set(after.metrics.get("fair_articles", ()))
    return Comparison(before, after, scores, {number: pair for number, pair in scores.items() if number in judged})


def judged_as_now(session: Session, found: Evaluation) -> bool:
    """Whether the judged sentences of an evaluation's articles are the same then and now; only evaluations of this
    release tell."""
    mark = found.metrics.get("judged_sha256")
    if mark is None:
        return True
    article_ids = [article.id for _, article in db.proposing.versions.article_scores(session, found.id)]
    return bool(judged_of(session, article_ids).sha256 == mark)


def evaluated_before(session: Session, version_id: int, ranking: str) -> bool:
    """Whether a version has test numbers, on any labels."""
    return db.proposing.versions.latest_evaluation(session, version_id, ranking, Split.TEST) is not None


def promote_encoder(
    version_id: int,
    *,
    by: str,
    label_set_sha256: str,
    even_if_worse: bool = False,
    ranking: str = Ranking.HYBRID,
    why: str = "",
) -> None:
    """Makes a version the proposing one, once its files are sound and its numbers are known and not shown to be worse.

    Raises NotPromotable, which `even_if_worse` overrides for worse numbers and for none at all (there may be no labels
    to measure on), but neither for numbers on other labels nor where another version was promoted meanwhile; and
    DamagedModel.
    """
    with read() as session:
        version = db.rows.get(session, ModelVersion, version_id)
    if version is None:
        raise NotPromotable(f"there is no version {version_id}")

    def gate(session: Session, candidate: ModelVersion) -> str:
        found = compare(session, candidate.id, label_set_sha256, ranking)
        outdated = evaluated_before(session, candidate.id, ranking)
        if found.worse is None and (outdated or not even_if_worse):
            raise NotPromotable(f"{candidate.name} was not evaluated on the present labels; evaluate it first")
        if found.arps and found.worse and not even_if_worse:
            before, after = found.arps
            raise NotPromotable(
                f"{candidate.name} ranks worse than the proposing version by more than chance: "
                f"ARP {after:.3f} after {before:.3f}"
            )
        doubt = {True: "worse", False: "", None: "not evaluated"}[found.worse]
        return f"promoted, {doubt}, after a second confirmation" if doubt else "promoted"

    promote(Kind.ENCODER, version, by=own_name(by), why=why, gate=gate)
