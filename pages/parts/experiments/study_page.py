"""What the pages of experiments and simulations share: a form that starts one, and what the finished ones came to."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

import db.evaluation
from annotate.experiments.studies import StudyKind
from annotate.experiments.study_tables import Compared, Row, by_corpus, cells_of, rows_of
from annotate.project.home import look_up
from annotate.project.rights import Right
from annotate.project.words import count_of
from pages.parts.frame.rows import words_and_action
from pages.parts.frame.text import shown
from pages.parts.shared.downloads import CSV, File, offer
from pages.parts.shared.job_panel import failures, job_logs, job_panel, start_job
from pages.parts.shared.tables import text_table


@dataclass(frozen=True, slots=True)
class Form:
    """The form of a study: the spec that it begins with, the most seeds and the usual ones, and a number of articles.

    `payload` makes the job's payload of a spec's content and what the widgets hold. `description` says what the rows
    of these names do. `more` draws further widgets.
    """

    first: str
    seeds: tuple[int, int]
    articles: Mapping[str, Any]
    payload: Callable[[dict[str, Any]], dict[str, Any]]
    description: Callable[[Sequence[str]], str]
    more: Callable[[], object] = lambda: None


def study_page(
    kind: StudyKind,
    form: Form,
    figures: Callable[[Sequence[Row]], object],
    note: str,
    after: Callable[[Sequence[Row]], object] = lambda rows: None,
) -> None:
    """Draws the page: the form, then a study of those that have finished runs, with its `figures` above the table.

    `note` tells what the table has, `after` draws what comes last.
    """
    job_panel([kind.job])
    failures(kind.job, "runs")
    specs = {name: kind.read_spec(path) for name, path in kind.shipped.items()}
    parsed = {name: kind.parse(content, None) for name, content in specs.items()}
    titles = {name: study.title for name, study in parsed.items()}
    # The others need files, which the command line names.
    startable = [name for name, study in parsed.items() if "files" not in study.corpus]
    _form(kind, form, {name: specs[name] for name in startable}, titles)
    found = {name: (count, last) for name, count, last in look_up(db.evaluation.experiments, kind.name)}
    if found:
        st.subheader("Results")
        study = st.selectbox(
            kind.name.capitalize(),
            list(found),
            format_func=lambda name: (
                f"{titles.get(name, name)} · {count_of(found[name][0], 'run')} · {found[name][1][:10]}"
            ),
        )
        _results(kind, study, figures, note, after)
    else:
        st.info(
            f"No {kind.name} has finished a run yet. Run starts one.",
            icon=":material/inbox:",
        )
    job_logs([kind.job])


def _form(kind: StudyKind, form: Form, specs: Mapping[str, dict[str, Any]], titles: Mapping[str, str]) -> None:
    def start() -> None:
        state = st.session_state
        start_job(kind.job, form.payload(specs[state.spec]) | {"seeds": state.seeds})

    with st.container(border=True):
        fields, action = words_and_action("bottom")
        spec, seeds, articles = fields.columns([4, 1, 2], vertical_alignment="bottom")
        chosen = spec.selectbox(
            f"{kind.name.capitalize()} on the stored labels",
            list(specs),
            list(specs).index(form.first),
            format_func=titles.__getitem__,
            key="spec",
        )
        most, usual = form.seeds
        seeds.number_input("Seeds", 1, most, usual, key="seeds")
        articles.number_input(min_value=1, value=None, key="articles", **form.articles)
        action.button("Run", type="primary", on_click=start)
        form.more()
        plan = kind.parse(form.payload(specs[chosen])["spec"], st.session_state.seeds)
        names = list(dict.fromkeys(run.row for run in plan.runs))
        planned = count_of(len(plan.runs), "run")
        st.caption(f"{planned}, {len(names)} {form.description(names)} Finished runs are not done again.")


def _results(
    kind: StudyKind,
    study: str,
    figures: Callable[[Sequence[Row]], object],
    note: str,
    after: Callable[[Sequence[Row]], object],
) -> None:
    """The finished runs of a study that may be compared; which ones is asked for where there are several."""
    corpora = by_corpus(look_up(db.evaluation.runs_of, kind.name, study), kind.shared)
    choices = list(corpora)
    asked = [{name: runs[0].settings.get(name) for name in kind.shared} for runs in corpora.values()]
    differing = [name for name in kind.shared if len({own[name] for own in asked}) > 1]

    def described(choice: Compared) -> str:
        runs = corpora[choice]
        corpus, encoders = runs[0].corpus, dict.fromkeys(run.encoder for run in runs)
        names = " + ".join(source["name"] for source in corpus["sources"])
        own = {name.replace("_", " "): runs[0].settings.get(name) for name in differing}
        settings = [f"{name}: {'all' if value is None else value}" for name, value in own.items()]
        return ", ".join([f"{names}: {kind.counted(corpus)}", choice[0][:8], *encoders, *settings])

    chosen = choices[0]
    if len(choices) > 1:
        chosen = st.selectbox("Corpus", choices, format_func=described)
    runs = corpora[chosen]
    rows = rows_of(runs, kind.run)
    st.caption(
        shown(f"{described(chosen)}. {count_of(len(runs), 'run')} finished, the last on {runs[0].created_at[:10]}.")
    )
    figures(rows)
    text_table(cells_of(kind.table(rows), kind.columns), "Measures by row", heads={"": "Row"})
    st.caption(f"± is {kind.interval}; a row with one seed has none. {note}")
    offer([File("All as CSV", f"{study}.csv", CSV, Right.STUDY, lambda: kind.as_csv(rows))], key=f"study_{study}")
    after(rows)
