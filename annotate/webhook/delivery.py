"""Events sent one by one: each until it was taken, the next one only then, slower and slower while they are not taken.

What waits is no queue: it stands in the tables already, and a file says how far the receiver is. So an address that
does not answer takes neither memory nor disk, and no write waits for it.
"""

import json
import time
from contextlib import AbstractContextManager
from dataclasses import asdict
from datetime import UTC, datetime, timedelta

import db.rows
from annotate.jobs.repeating import repeating
from annotate.outgoing.addresses import NotSent
from annotate.outgoing.posting import post
from annotate.project.acting import current_actor, demand
from annotate.project.home import read
from annotate.project.rights import Right
from annotate.webhook import webhook_progress as kept
from annotate.webhook.webhook_events import Event, from_now_on, note_sent, test_event, waiting, wanted
from annotate.webhook.webhook_progress import Progress
from annotate.webhook.webhook_settings import WebhookSettings, allowed_machines, secret_of, signature, webhook_now
from db.base import stamp
from db.tables import Setting

EVERY_SECONDS = 5
ROUND_SECONDS = 30  # then what else changed is looked at: the settings, above all
SEND_SECONDS = 10  # from the connection to the answer's head
FIRST_WAIT, LONGEST_WAIT = timedelta(seconds=5), timedelta(hours=1)


class NoWebhook(RuntimeError):
    """There is no address, or no secret yet."""


class SendingNow(RuntimeError):
    """Another process or thread is sending; it would write how far it is over what is chosen here."""


def deliver(now: datetime | None = None, *, at_once: bool = False) -> int:
    """One round: sends what waits; returns how many events were taken.

    After a failure it waits for its next try, unless it should send `at_once` or other settings were chosen since.
    """
    with read() as session:
        settings = webhook_now(session)
        chosen = db.rows.find(session, Setting, name=WebhookSettings.NAME)
    if settings is None or chosen is None:
        kept.forget()
        return 0
    with kept.sending_lock() as acquired:
        if not acquired:
            return 0
        progress = kept.load()
        at_once = at_once or progress is None or chosen.created_at > progress.last_bad
        return _round(settings, progress, None if at_once else now or datetime.now(UTC))


def _round(settings: WebhookSettings, progress: Progress | None, now: datetime | None) -> int:
    """Sends what waits; where a moment is told, not before the next try."""
    if progress is None:
        with read() as session:
            progress = from_now_on(session)
        kept.keep(progress)
    # A next try further ahead than there ever is one was set under a clock that has been set back.
    if now and progress.next_try and now < datetime.fromisoformat(progress.next_try) <= now + LONGEST_WAIT:
        return 0
    taken, until = 0, time.monotonic() + ROUND_SECONDS
    while time.monotonic() < until:
        before = asdict(progress)
        with read() as session:
            events = waiting(session, progress)
        if asdict(progress) != before:
            kept.keep(progress)
        if not events:
            return taken
        for event in events:
            if wanted(event, settings):
                if problem := send(event, settings):
                    _note_failure(progress, problem)
                    return taken
                taken, progress.sent = taken + 1, progress.sent + 1
                progress.failures, progress.next_try, progress.last_good = 0, "", stamp(datetime.now(UTC))
            note_sent(progress, event.row)
            kept.keep(progress)
    return taken


def _note_failure(progress: Progress, problem: str) -> None:
    now = datetime.now(UTC)
    wait = min(FIRST_WAIT * 2 ** min(progress.failures, 20), LONGEST_WAIT)
    progress.failures += 1
    progress.next_try, progress.last_bad, progress.problem = stamp(now + wait), stamp(now), problem
    kept.keep(progress)


def send(event: Event, settings: WebhookSettings) -> str:
    """Sends one event; why it was not taken, empty where it was: any status from 200 to 299 says so."""
    body = json.dumps(event.body(), ensure_ascii=False).encode()
    headers = {
        "Keyline-Event": event.name,
        "Keyline-Delivery": event.id,
        "Keyline-Signature": signature(secret_of(settings), int(time.time()), body),
    }
    try:
        answer = post(settings.address, body, headers, allowed=allowed_machines, seconds=SEND_SECONDS, most_bytes=None)
    except NotSent as error:
        return str(error)
    return "" if answer.good else f"the receiver answered {answer.status}"


def send_test() -> str:
    """Sends an event that tells nothing, apart from the waiting ones; why it was not taken, empty where it was. Then
    the waiting ones do not wait for their next try.

    Raises NoWebhook, and Forbidden without the right to operate.
    """
    with read() as session:
        demand(session, Right.OPERATE)
        settings = webhook_now(session)
    if settings is None:
        raise NoWebhook("name an address and make a secret first")
    problem = send(test_event(current_actor().name), settings)
    with kept.sending_lock() as acquired:
        if acquired and not problem and (progress := kept.load()):
            progress.next_try = ""
            kept.keep(progress)
    return problem


def skip_waiting() -> None:
    """Nothing that happened before now is told any more; what has begun is told when it ends.

    Raises SendingNow, and Forbidden without the right to operate.
    """
    with read() as session:
        demand(session, Right.OPERATE)
        skipped = from_now_on(session)
    with kept.sending_lock() as acquired:
        if not acquired:
            raise SendingNow("an event is on its way right now: try again in a moment")
        before = kept.load() or Progress()
        skipped.sent, skipped.last_good, skipped.last_bad = before.sent, before.last_good, before.last_bad
        kept.keep(skipped)


def delivering(seconds: float = EVERY_SECONDS) -> AbstractContextManager[None]:
    """Rounds in a thread of its own, as long as the block lasts."""
    return repeating("webhook", seconds, deliver)
