"""The webhook on the status page: where events are sent, its secret once, a test, and how the last ones went."""

import streamlit as st

from annotate.project.home import look_up
from annotate.project.stored_settings import settings_now
from annotate.webhook.delivery import NoWebhook, SendingNow, send_test, skip_waiting
from annotate.webhook.webhook_progress import Progress, load
from annotate.webhook.webhook_settings import EVENTS, WebhookSettings, choose, new_secret
from pages.parts.frame.messages import keep_error, message_of, show_message
from pages.parts.frame.text import local_time, shown

SECRET, DONE, PROBLEM = "webhook_secret", "webhook_said", "webhook_problem"
ABOUT = (
    "Keyline can tell another program what happens: verdicts, reviewed articles, jobs and imports that end, "
    "versions that begin to propose, gold that is frozen. It tells who said what of which sentence, as maintainers see "
    "it, and no text of articles. docs/webhook.md tells how a receiver checks that it comes from here."
)
LABELS = {
    "verdicts": "Verdicts",
    "articles": "Articles reviewed",
    "jobs": "Jobs and imports ended",
    "versions": "Versions promoted",
    "gold": "Gold frozen",
}


def webhook_panel() -> None:
    """Shows the webhook, and changes it."""
    st.subheader("Webhook")
    settings = look_up(settings_now, WebhookSettings)
    if secret := message_of(SECRET):
        st.success("The secret of the webhook. Copy it now: it is not shown again.", icon=":material/key:")
        st.code(secret, language=None, wrap_lines=True)
    show_message(DONE, st.success, "check")
    show_message(PROBLEM)
    if settings.address:
        st.markdown(f"Events are sent to **{shown(settings.address)}**.")
        st.caption(_how_it_goes(load()))
        test, secret, skip = st.columns(3)
        test.button("Send a test", icon=":material/send:", on_click=_test)
        secret.button("New secret", icon=":material/key:", on_click=_new_secret)
        skip.button("Skip what waits", on_click=_skip, help="Earlier events are not sent.")
    else:
        st.caption("No events are sent.")
    with st.expander("Where events are sent, and which" if settings.address else "Send events to an address"):
        _form(settings)


def _how_it_goes(progress: Progress | None) -> str:
    if progress is None or not (progress.sent or progress.failures):
        return "Nothing was sent yet."
    parts = [f"{progress.sent:,} taken"]
    if progress.last_good:
        parts.append(f"the last one {local_time(progress.last_good)}")
    if progress.failures:
        parts.append(f"since then {progress.failures:,} in vain, the last one {local_time(progress.last_bad)}")
        parts.append(f"{shown(progress.problem)}; the next try {local_time(progress.next_try)}")
    elif progress.last_bad:
        parts.append(f"the last failure {local_time(progress.last_bad)}: {shown(progress.problem)}")
    return "; ".join(parts) + "."


def _form(settings: WebhookSettings) -> None:
    st.caption(ABOUT)
    with st.form("webhook", border=False):
        st.text_input(
            "Address", settings.address, key="webhook_address", placeholder="https://curation.example.org/keyline",
            help="Of the internet, by https. Empty: events are sent nowhere.",
        )  # fmt: skip
        for name in EVENTS:
            st.checkbox(LABELS[name], getattr(settings, name), key=f"webhook_{name}")
        st.form_submit_button("Save the webhook", on_click=_save)


def _save() -> None:
    chosen = {name: st.session_state[f"webhook_{name}"] for name in ("address", *EVENTS)}
    with keep_error(PROBLEM, "Not saved: {}."):
        choose(**chosen)
        settings = look_up(settings_now, WebhookSettings)
        if settings.address and not settings.nonce:
            _new_secret()


def _new_secret() -> None:
    st.session_state[SECRET] = new_secret()


def _skip() -> None:
    with keep_error(PROBLEM, "Not skipped: {}.", (SendingNow,)):
        skip_waiting()


def _test() -> None:
    try:
        problem = send_test()
    except NoWebhook as error:
        problem = str(error)
    if problem:
        st.session_state[PROBLEM] = f"The receiver refused the test: {problem}."
    else:
        st.session_state[DONE] = "The receiver accepted the test."
