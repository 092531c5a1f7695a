"""Asking about whole articles: window by window, what is partial once more, each answer kept before the next begins."""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from annotate.llm.client import Client, ServiceProblem
from annotate.llm.scores import BadAnswer, read_scores
from annotate.llm.spending import BudgetReached, Spending, Usage
from annotate.project.home import read
from annotate.proposing.answers.kept import KeptAnswer, KeptAnswers
from annotate.proposing.answers.llm_settings import LlmSettings, NoConsent, settings_to_ask_by
from annotate.proposing.answers.prompt import ArticleText, config_sha256, line_of, messages, system_message, texts_of
from annotate.topics.file import Topic
from annotate.topics.project_topic import topic_now
from db.base import utc_now

BATCH_ARTICLES = 50
IN_A_ROW = 3  # articles that the service itself has failed: it is away, and the others would fail, too


class ArticleFailed(RuntimeError):
    """An article that got no whole answer, with the reason."""


@dataclass(slots=True)
class Tally:
    """What became of the articles that were asked about, and what that took."""

    asked: int = 0
    known: int = 0
    questions: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    tokens_counted: bool = True
    seconds: float = 0.0
    failed: list[dict[str, Any]] = field(default_factory=list)
    stopped: str = ""

    def add(self, used: Sequence[Usage], seconds: float) -> None:
        """What the questions about one article used, also where it failed."""
        self.questions += len(used)
        self.tokens_in += sum(use.tokens_in for use in used)
        self.tokens_out += sum(use.tokens_out for use in used)
        self.tokens_counted &= all(use.counted for use in used)
        self.seconds += seconds


class Asking:
    """One pass over some articles by the settings and the topic of its beginning."""

    def __init__(self, spending: Spending, wait: Callable[[float], None] = time.sleep) -> None:
        self.settings: LlmSettings = settings_to_ask_by()
        with read() as session:
            self.topic: Topic = topic_now(session)
        self.kept = KeptAnswers(config_sha256(self.settings, self.topic))
        self.client = Client(self.settings, spending, wait, self._check)
        self.system = system_message(self.topic)
        self.tally = Tally()
        self._failed_in_a_row = 0

    def about(self, article_ids: Sequence[int], progress: Callable[[int], None]) -> Tally:
        """Asks about those not answered yet; `progress` may stop it by raising. Raises NoConsent, ServiceProblem.

        An article that cannot be answered fails with its reason, and the others go on. The budget ends the pass.
        """
        asked = {name: getattr(self.settings, name) for name in ("address", "model", "seed")}
        self.kept.describe({**asked, "system": self.system})
        done = 0
        for start in range(0, len(article_ids), BATCH_ARTICLES):
            with read() as session:
                texts = texts_of(session, article_ids[start : start + BATCH_ARTICLES])
            for article in texts:
                progress(done)
                try:
                    self._one(article)
                except BudgetReached as error:
                    self.tally.stopped = str(error)
                    return self.tally
                done += 1
        progress(done)
        return self.tally

    def _one(self, article: ArticleText) -> None:
        if self.kept.of(article.sha256, len(article.sentences)) is not None:
            self.tally.known += 1
            return
        question = _Question(self.client, self.system, article)
        try:
            answer = question.answer()
        except (ArticleFailed, ServiceProblem) as error:
            self._note_failure(article, error)
        else:
            self._failed_in_a_row = 0
            self.kept.store(article.sha256, answer)
            self.tally.asked += 1
        finally:
            self.tally.add(question.used, question.seconds)

    def _check(self) -> None:
        """Raises NoConsent where the consent was taken back, or the settings are others than at the beginning."""
        if replace(settings_to_ask_by(), may_propose=self.settings.may_propose) != self.settings:
            raise NoConsent("the settings of the language model were changed while it was asked: start again")

    def _note_failure(self, article: ArticleText, error: ArticleFailed | ServiceProblem) -> None:
        self.tally.failed.append({"article_id": article.article_id, "title": article.title, "reason": str(error)})
        away = isinstance(error, ServiceProblem)
        self._failed_in_a_row = self._failed_in_a_row + 1 if away else 0
        if isinstance(error, ServiceProblem) and (error.hopeless or self._failed_in_a_row >= IN_A_ROW):
            raise ServiceProblem(f"{self.settings.address}: {error}", hopeless=True) from None


class _Question:
    """One article, with what its answers have taken so far."""

    def __init__(self, client: Client, system: str, article: ArticleText) -> None:
        self.client, self.system, self.article = client, system, article
        self.used: list[Usage] = []
        self.model = ""
        self._started = time.monotonic()

    @property
    def seconds(self) -> float:
        """Since its beginning."""
        return round(time.monotonic() - self._started, 3)

    def answer(self) -> KeptAnswer:
        """Raises ArticleFailed, ServiceProblem, BudgetReached."""
        settings, sentences = self.client.settings, self.article.sentences
        lengths = [len(line_of(number, text)) + 1 for number, (_, text) in enumerate(sentences, start=1)]
        windows = windows_of(lengths, settings.window_characters, settings.window_overlap)
        parts = [self._window(window) for window in windows]
        total = Usage(sum(use.tokens_in for use in self.used), sum(use.tokens_out for use in self.used))
        return KeptAnswer(
            scores=merged(parts, len(sentences)),
            questions=len(self.used),
            windows=len(windows),
            tokens_in=total.tokens_in,
            tokens_out=total.tokens_out,
            tokens_told=all(use.counted for use in self.used),
            cost=total.cost(settings),
            seconds=self.seconds,
            model=self.model,
            asked_at=utc_now(),
        )

    def _window(self, window: Sequence[int], *, halve: bool = True) -> dict[int, float]:
        """The scores of a window's sentences by position; what the first answer leaves out is asked for once more."""
        found: dict[int, float] = {}
        reason = ""
        for second in (False, True):
            missing = [position for position in window if position not in found]
            asked = messages(self.system, self.article, window, missing if second and found else ())
            reply, usage = self.client.ask(asked, len(missing))
            self.used.append(usage)
            self.model = reply.model or self.model
            if reply.cut and halve and len(window) > 1:
                middle = len(window) // 2
                halves: Iterable[Sequence[int]] = (window[:middle], window[middle:])
                return {place: score for half in halves for place, score in self._window(half, halve=False).items()}
            try:
                scores = read_scores(reply.content, {position + 1 for position in missing})
            except BadAnswer as error:
                reason = "its answer was cut for its length" if reply.cut else str(error)
                continue
            found |= {number - 1: score for number, score in scores.items()}
            if len(found) == len(window):
                return found
            reason = f"it left out {len(window) - len(found)} of {len(window)} sentences"
        raise ArticleFailed(f"sentences {window[0] + 1} to {window[-1] + 1}: {reason}, twice")


def windows_of(lengths: Sequence[int], most: int, overlap: int) -> list[range]:
    """Ranges of positions that cover all sentences, each of at most `most` characters, by the sentences' lengths.

    A sentence is never cut: a longer one is a window of its own. Each window begins with the last `overlap` sentences
    of the one before, fewer where it would hold nothing new.
    """
    windows: list[range] = []
    start = 0
    while start < len(lengths):
        end, used = start, 0
        while end < len(lengths) and (end == start or used + lengths[end] <= most):
            used += lengths[end]
            end += 1
        windows.append(range(start, end))
        if end == len(lengths):
            break
        start = _next_start(lengths, end, most, min(overlap, end - start - 1))
    return windows


def _next_start(lengths: Sequence[int], end: int, most: int, overlap: int) -> int:
    """Where the next window begins so that the sentence at `end` still fits into it."""
    start = end
    used = lengths[end]
    while end - start < overlap and used + lengths[start - 1] <= most:
        start -= 1
        used += lengths[start]
    return start


def merged(parts: Sequence[Mapping[int, float]], count: int) -> list[float]:
    """One score for each of `count` sentences: the mean of those that the windows gave it."""
    given: list[list[float]] = [[] for _ in range(count)]
    for part in parts:
        for position, score in part.items():
            given[position].append(score)
    return [round(sum(scores) / len(scores), 6) for scores in given]
