"""What changed since the last training, by words and figures; whether another is worth it, and when one begins."""

from collections.abc import Sequence
from datetime import datetime
from html import escape

import plotly.graph_objects as go
import streamlit as st

import db.jobs
import db.rows
from annotate.evaluation.metric_labels import change_written
from annotate.gold.label_sets import LabelSet
from annotate.project.home import look_up, read
from annotate.project.stored_settings import settings_now
from annotate.project.words import count_of
from annotate.retraining.advice import Advice, Change, Point, SplitChange, Worth, advise
from annotate.retraining.auto_retrain import decide
from annotate.retraining.retrain_policy import Gate, RetrainPolicy, When
from db.tables import Job
from db.values import JobState
from model.checked_settings import bounds
from pages.parts.frame.messages import show_message
from pages.parts.frame.text import shown
from pages.parts.shared.drawing import BLUE, FULL_SHARE, GREY, ORANGE, VERMILLION, drawn, interval, whole_ticks
from pages.parts.shared.figures import show_figure
from pages.parts.shared.settings_form import settings_form

KINDS = (
    ("key", "key sentences", BLUE),
    ("not_key", "not key", GREY),
    ("changed", "changed", ORANGE),
    ("withdrawn", "withdrawn", VERMILLION),
)
ICONS = {
    Worth.NOTHING: ":material/check:",
    Worth.LITTLE: ":material/hourglass_empty:",
    Worth.SOME: ":material/trending_up:",
    Worth.WORTH: ":material/lightbulb:",
}
BEGINS = {When.CLICK: "only by a click", When.AFTER: "after new verdicts", When.NIGHT: "at night"}
PROMOTES = {Gate.HUMAN: "by a person", Gate.BETTER: "by the gate, where surely better"}
ENDS: dict[str, str] = {
    JobState.DONE: "done",
    JobState.FAILED: "failed",
    JobState.CANCELLED: "was cancelled",
    JobState.RUNNING: "is running",
    JobState.QUEUED: "waits",
}


def changes_by_split(splits: Sequence[SplitChange]) -> go.Figure:
    """How many labels are new, changed or withdrawn, one bar a split, the training articles on top."""
    figure = go.Figure()
    for name, label, colour in KINDS:
        counts = [getattr(split, name) for split in splits]
        if any(counts):
            figure.add_bar(
                y=[split.split for split in splits],
                x=counts,
                orientation="h",
                name=label,
                marker_color=colour,
                hovertemplate=label + ": %{x:,} in %{y}<extra></extra>",
            )
    figure.update_layout(barmode="stack", bargap=0.35)
    figure.update_yaxes(autorange="reversed")
    figure.update_xaxes(**whole_ticks(max((split.labels for split in splits), default=0)))
    n = count_of(sum(split.labels for split in splits), "label")
    return drawn(figure, x="labels that differ", y="part", n=n, showlegend=True, legend_traceorder="normal")


def learning_curve(curve: Sequence[Point], expected: Point | None) -> go.Figure:
    """ARP by key sentences trained on, with 95% intervals, and where the next version is expected."""
    figure = go.Figure()
    _points(figure, curve, name="versions", colour=BLUE, symbol="circle")
    if expected is not None:
        _points(figure, [expected], name="expected next", colour=ORANGE, symbol="diamond-open")
    figure.update_xaxes(**whole_ticks(max((point.key_sentences for point in curve), default=0)))
    figure.update_yaxes(range=FULL_SHARE, dtick=0.25, tickformat=".2f")
    y = "ARP, hybrid, 95% interval"
    return drawn(figure, x="key sentences trained on", y=y, n=count_of(len(curve), "version"), showlegend=True)


def _points(figure: go.Figure, points: Sequence[Point], *, name: str, colour: str, symbol: str) -> None:
    ends = [[getattr(point.arp, end) for point in points] for end in ("value", "low", "high")]
    figure.add_scatter(
        x=[point.key_sentences for point in points],
        y=ends[0],
        mode="markers",
        name=name,
        marker={"color": colour, "size": 9, "symbol": symbol, "line": {"width": 2}},
        text=[escape(point.version) for point in points],
        error_y=interval(ends, colour, 4),
        hovertemplate="%{text}: ARP %{y:.3f}, %{x:,} key sentences<extra></extra>",
    )


def advice_line(label_set: LabelSet, *, training: bool) -> Advice:
    """Draws the advice in words, for the top of the page; returns it. Without a key sentence the form says why, and
    while a training runs or waits (`training`) there is nothing to advise."""
    advice = look_up(advise, label_set)
    if training or (advice.worth is Worth.NOTHING and advice.change is None):
        return advice
    text = f"**{shown(advice.words)}.**"
    if effect := advice.effect:
        mean, low, high = (change_written(getattr(effect.gain, end), 2) for end in ("value", "low", "high"))
        unsure = " (possibly none)" if effect.gain.low <= 0 else ""
        text += shown(f" Expected: ARP {mean} ({low} to {high}){unsure} {effect.basis}.")
    (st.success if advice.worth is Worth.WORTH else st.info)(text, icon=ICONS[advice.worth])
    return advice


def change_panel(advice: Advice) -> None:
    """Draws what changed by split and, where versions were evaluated, the learning curve."""
    change = advice.change
    if change is None:
        return
    st.markdown(f"**Since {shown(change.since)}**")
    if any(split.labels for split in change.splits):
        show_figure(changes_by_split(change.splits), key="changes")
    st.caption(_also(change))
    points = [*advice.curve, *([advice.expected] if advice.expected else [])]
    if len({point.key_sentences for point in points}) > 1:
        show_figure(learning_curve(advice.curve, advice.expected), key="curve")
        st.caption(fairness_of(advice))


def fairness_of(advice: Advice) -> str:
    """How far the curve may be believed, in words."""
    fair, every = advice.fair_to_all
    if 0 < fair == every:
        return "The curve is fair: in all test articles, annotators judged everything that a version ranks first."
    return (
        f"The curve is not fair: only in {fair} of {count_of(every, 'test article')} did annotators judge everything "
        "that a version ranks first. The others favour the versions that proposed."
    )


def _also(change: Change) -> str:
    read_in_full = sum(split.read_in_full for split in change.splits)
    parts = [
        f"{count_of(change.verdicts, 'verdict')}",
        f"{count_of(read_in_full, 'article')} newly read in full",
        f"{count_of(change.key_before, 'key sentence')} trained on, {change.key_now:,} now",
    ]
    if change.described:
        parts.append(f"{change.described:+,} labelled articles with document labels")
    inexact = "" if change.exact else " The labels of that time are counted by their dates, which is not exact."
    return f"{'; '.join(parts)}.{inexact}"


def policy_panel() -> None:
    """Draws when training begins, what it waits for, how the last automatic run went, and the form to change it."""
    with read() as session:
        policy = settings_now(session, RetrainPolicy)
        last, trained = db.jobs.latest_automatic(session, "train"), db.rows.find(session, Job, kind="train")
    begins = {
        When.AFTER: f"after {count_of(policy.after_verdicts, 'new verdict')}",
        When.NIGHT: f"at night from {policy.night_hour:02}:00",
    }.get(policy.when, BEGINS[policy.when])
    with st.expander(f"Training begins {begins}; promoted {PROMOTES[policy.gate]}"):
        show_message("policy_error")
        settings_form(RetrainPolicy, _fields, "policy_error")
        st.caption("An automatic training starts from the version in use, with the preset that suits the labels.")
    if policy.when is not When.CLICK:
        decision = decide(datetime.now().astimezone())
        start = "begins within a minute" if decision.payload else "waits"
        st.caption(f":material/schedule: Automatic training {start}: {shown(decision.reason)}.")
    if last is not None:
        when = datetime.fromisoformat(last.created_at).astimezone().strftime("%Y-%m-%d %H:%M")
        made = f", made {last.result['child']}" if last.result.get("child") else ""
        ended = f"{ENDS[last.state]}{made}{f': {last.error}' if last.error else ''}"
        summary = f"Last automatic run, {when}, for {last.payload['automatic']}: {ended}."
        st.caption(f":material/smart_toy: {shown(summary)}")
    if trained is not None and "gate" in trained.result:
        promoted = "promoted" if trained.result["promoted"] else "did not promote"
        named = " ".join(filter(None, ("The gate", promoted, trained.result.get("child"))))
        st.caption(f":material/door_front: {shown(named)}: {shown(trained.result['gate'])}.")


def _fields(policy: RetrainPolicy, form: str) -> None:
    whens, gates = list(When), list(Gate)
    left, right = st.columns(2)
    left.radio("Training begins", whens, whens.index(policy.when), key=f"when_{form}", format_func=BEGINS.__getitem__)
    right.radio(
        "Promoted",
        gates,
        gates.index(policy.gate),
        key=f"gate_{form}",
        format_func=PROMOTES.__getitem__,
        help="Surely better: the 95% interval of the mean difference in R-precision on the test articles, against "
        "the version in use, lies above 0. It holds for trainings by click, too.",
    )
    left, right = st.columns(2)
    for column, label, name, text in (
        (left, "Verdicts", "after_verdicts", "New verdicts after which training begins."),
        (right, "Hour of the night", "night_hour", "The server's local time, 0 to 23."),
    ):
        low, high = bounds(RetrainPolicy)[name]
        column.number_input(label, low, high, getattr(policy, name), step=1, key=f"{name}_{form}", help=text)
