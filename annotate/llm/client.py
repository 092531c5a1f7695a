"""The client of an OpenAI-compatible service: one question at a time, tried again where that may help."""

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from urllib3.exceptions import InvalidHeader
from urllib3.util import Retry

from annotate.llm.scores import schema
from annotate.llm.spending import NoAnswer, Spending, Usage, most_tokens_out
from annotate.outgoing.addresses import NotSent
from annotate.outgoing.networks import may_run_services
from annotate.outgoing.posting import Answer, post
from annotate.proposing.answers.llm_settings import COMPLETIONS, LlmSettings, key_for
from annotate.proposing.answers.prompt import Message

MOST_BYTES = 10_000_000
TRIES = 5
FIRST_WAIT, LONGEST_WAIT = 1.0, 300.0  # seconds
AGAIN = (408, 429, 500, 502, 503, 504, 524, 529)
NOT_UNDERSTOOD = (400, 404, 422)
HOPELESS = (401, 402, 403)
QUESTION_TOO_LONG = "context"  # length: such a refusal names the limit of the answer, too
MOST_WORDS = 200  # characters that are told of what a server says


class ServiceProblem(NoAnswer):
    """The service gave no answer. `hopeless`: no question will get one now; `free`: it did no work that costs."""

    def __init__(self, message: str, *, hopeless: bool = False, free: bool = False) -> None:
        super().__init__(message)
        self.hopeless = hopeless
        self.free = free


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer: its text, whether it was cut for its length, what it used, and the model's name by the server."""

    content: str
    cut: bool
    usage: Usage | None
    model: str


class Client:
    """Asks one model. What the server does not take (a schema, a seed) is left out from then on, and told.

    `check` is called before anything is sent, also before another try; it stops the question by raising.
    """

    def __init__(
        self,
        settings: LlmSettings,
        spending: Spending,
        wait: Callable[[float], None] = time.sleep,
        check: Callable[[], None] = lambda: None,
    ) -> None:
        self.settings = settings
        self.spending = spending
        self.left_out: list[str] = []
        self._check = check
        self._wait = wait
        self._form = ["json_schema", "json_object", ""]  # how the server is told the form, the first that it takes
        # An answer that costs always has a limit: the budget counts on it.
        self._tokens = ["max_tokens", "max_completion_tokens", *([] if settings.price_out else [""])]
        self._key = key_for(settings.address)
        self._headers = {"Authorization": f"Bearer {self._key}"} if self._key else {}

    def ask(self, messages: Sequence[Message], sentences: int) -> tuple[Reply, Usage]:
        """The answer to a question about this many sentences, and what it used.

        A response in another form counts as an empty answer. Raises ServiceProblem and BudgetReached.
        """
        wait, tries = FIRST_WAIT, 1
        while True:
            try:
                return self._send(messages, sentences)
            except _TryLater as later:
                if tries >= TRIES:
                    raise ServiceProblem(f"{later}; tried {tries} times") from None
                if later.seconds > LONGEST_WAIT:
                    raise ServiceProblem(f"{later}, and asks to wait {later.seconds:.0f} s", hopeless=True) from None
                self._wait(max(wait, later.seconds))
                wait, tries = min(2 * wait, LONGEST_WAIT), tries + 1
            except _LeftOut:
                continue

    def _send(self, messages: Sequence[Message], sentences: int) -> tuple[Reply, Usage]:
        self._check()
        body = json.dumps(self._body(messages, sentences), ensure_ascii=False).encode("utf-8", "replace")
        replies: list[Reply] = []

        def send() -> Usage | None:
            replies.append(self._post(body))
            return replies[0].usage

        usage = self.spending.ask(self.settings, body, sentences, send)
        return replies[0], usage

    def _body(self, messages: Sequence[Message], sentences: int) -> dict[str, Any]:
        body: dict[str, Any] = {"model": self.settings.model, "messages": list(messages), "stream": False}
        optional = {"temperature": 0, "seed": self.settings.seed}
        body |= {name: value for name, value in optional.items() if name not in self.left_out}
        if self._form[0]:
            body["response_format"] = {"type": self._form[0]}
            if self._form[0] == "json_schema":
                body["response_format"]["json_schema"] = schema()
        return body | ({self._tokens[0]: most_tokens_out(sentences)} if self._tokens[0] else {})

    def _post(self, body: bytes) -> Reply:
        try:
            answer = post(
                self.settings.address + COMPLETIONS,
                body,
                self._headers,
                allowed=may_run_services,
                seconds=self.settings.timeout_seconds,
                most_bytes=MOST_BYTES,
            )
        except NotSent as error:
            if error.again:
                raise _TryLater(str(error), free=error.free) from None
            raise ServiceProblem(str(error), hopeless=True, free=True) from None
        return _reply(answer) if answer.good else self._refused(answer)

    def _refused(self, answer: Answer) -> Reply:
        """Raises what a refusal means: to try later, without what the server does not take, or not at all."""
        reason = _error_words(answer.body)
        reason = reason.replace(self._key, "…") if self._key else reason  # some repeat what they were sent
        words = f"the server answered {answer.status}" + (f" ({reason})" if reason else "")
        if answer.status in AGAIN:
            raise _TryLater(words, _asked_to_wait(answer), free=answer.status == 429)
        if answer.status in NOT_UNDERSTOOD and self._leave_out(reason.lower()):
            raise _LeftOut(words)
        hopeless = answer.status in HOPELESS or 300 <= answer.status < 400 or answer.status in (404, 405)
        if 300 <= answer.status < 400:
            words += ": it leads elsewhere, where sending was not agreed to"
        raise ServiceProblem(words, hopeless=hopeless, free=True)

    def _leave_out(self, reason: str) -> bool:
        """Whether something that the server may have meant can be left out; it is from now on."""
        for name in ("temperature", "seed"):
            if name in reason and name not in self.left_out:
                self.left_out.append(name)
                return True
        limits = () if QUESTION_TOO_LONG in reason else ("max_tokens", "max_completion_tokens")
        for mentioned, forms in ((limits, self._tokens), (("response_format", "schema"), self._form)):
            if len(forms) > 1 and any(word in reason for word in mentioned):
                self.left_out.append(forms.pop(0))
                return True
        if not reason and self._form[0]:  # it does not say what it did not understand
            self.left_out.append(self._form.pop(0))
            return True
        return False


class _TryLater(NoAnswer):
    def __init__(self, message: str, seconds: float = 0.0, *, free: bool = False) -> None:
        super().__init__(message)
        self.seconds = seconds
        self.free = free


class _LeftOut(NoAnswer):
    free = True


def _reply(answer: Answer) -> Reply:
    try:
        body = json.loads(answer.body)
        choice = body["choices"][0]
        content, finish = choice["message"].get("content"), choice.get("finish_reason")
    except (ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError):
        return Reply("", False, None, "")  # no JSON, or none of such a service: like an empty answer, it is asked again
    model = body.get("model")
    return Reply(
        content if isinstance(content, str) else "",
        finish == "length",
        _usage(body.get("usage")),
        model[:MOST_WORDS] if isinstance(model, str) else "",
    )


def _usage(usage: Any) -> Usage | None:
    if not isinstance(usage, dict):
        return None
    tokens_in, tokens_out = usage.get("prompt_tokens"), usage.get("completion_tokens")
    if type(tokens_in) is not int or type(tokens_out) is not int or min(tokens_in, tokens_out) < 0:
        return None
    return Usage(tokens_in, tokens_out)


def _error_words(body: bytes) -> str:
    """What such a service says of an error; of anything else nothing, since it may be another machine's page."""
    try:
        error = json.loads(body)["error"]
        message = error["message"] if isinstance(error, dict) else error
    except (ValueError, KeyError, TypeError, RecursionError):
        return ""
    return " ".join(message.split())[:MOST_WORDS] if isinstance(message, str) else ""


def _asked_to_wait(answer: Answer) -> float:
    """Seconds of Retry-After, as a number or as a date; 0 where there is none."""
    wait = answer.headers.get("retry-after", "").strip()
    try:
        return max(0.0, float(wait)) if wait.replace(".", "", 1).isdecimal() else Retry().parse_retry_after(wait)
    except InvalidHeader:
        return 0.0
