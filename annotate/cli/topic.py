"""Commands of the project's topic: list, show, use, check, export and evaluate."""

import argparse
from pathlib import Path
from typing import Any

from annotate.cli.frame.common import Commands, Result
from annotate.jobs.attending import showing
from annotate.project.acting import current_actor
from annotate.project.files.characters import text_of
from annotate.project.home import look_up, read
from annotate.project.release import PROGRAM
from annotate.topics.file import SHIPPED, Topic, read_topic, shipped
from annotate.topics.project_topic import earlier_topics, find_topic, topic_now, use_topic, why_unreadable
from annotate.topics.slow_patterns import tried_topic


def _list(_: argparse.Namespace) -> Result:
    with read() as session:
        now = topic_now(session)
        rows = [
            [row.name, row.sha256[:12], f"chosen by {row.chosen_by}, {row.created_at[:16]}"]
            for row in earlier_topics(session)
        ]
    return {
        "topic": now.name,
        "sha256": now.sha256,
        "shipped": [[key, shipped(key).sha256[:12], shipped(key).file.about] for key in SHIPPED],
        "chosen": rows,
    }


def _show(options: argparse.Namespace) -> Result:
    topic, problem = _asked(options.name)
    left_out = [" ".join(each) for each in topic.left_out]
    lines = [*(f"# left out of all searches: {each}\n" for each in left_out), topic.text]
    shown = {"name": topic.name, "sha256": topic.sha256, "left_out": left_out, "yaml": topic.text}
    shown |= {"text": "".join(lines)} | _counted(topic)
    return shown | ({"stored_topic_is_unreadable": problem} if problem else {})


def _asked(name: str | None) -> tuple[Topic, str | None]:
    with read() as session:
        return (find_topic(session, name), None) if name else (topic_now(session), why_unreadable(session))


def _counted(topic: Topic) -> dict[str, Any]:
    form = topic.file
    return {"kinds": [kind.name for kind in form.kinds], "cues": len(form.cues), "ranking": form.ranking}


def _use(options: argparse.Namespace) -> Result:
    path = Path(options.topic)
    if path.suffix in (".yaml", ".yml") or path.is_file():
        text, source = text_of(path), path.name
    else:
        topic = look_up(find_topic, options.topic)
        text, source = topic.text, topic.name
    changed = use_topic(text, by=current_actor().name, source=source)
    topic = read_topic(text, source)
    rest = {"next": f"{PROGRAM} propose"} if changed else {}
    return {"topic": topic.name, "sha256": topic.sha256, "changed": changed} | rest


def _check(options: argparse.Namespace) -> Result:
    path = Path(options.file)
    topic = tried_topic(text_of(path), path.name)
    return {"file": path.name, "name": topic.name, "sha256": topic.sha256} | _counted(topic)


def _export(options: argparse.Namespace) -> Result:
    topic, _ = _asked(options.name)
    path = Path(options.out)
    if path.exists() and not options.overwrite:
        raise ValueError(f"{path} is there already; --overwrite writes over it")
    path.write_text(topic.text, encoding="utf-8")
    return {"topic": topic.name, "sha256": topic.sha256, "file": str(path)}


def _evaluate(options: argparse.Namespace) -> Result:
    from annotate.active_learning.evaluate_topic import evaluate_topic  # noqa: PLC0415 (scikit-learn takes a second)

    with showing() as report:
        found = evaluate_topic(Path(options.file), Path(options.train), options.verdicts, report)
    return found | {"text": "\n".join(f"{name.replace('_', ' ')}: {value}" for name, value in found.items())}


def add_commands(commands: Commands) -> None:
    """Registers the commands of `topic` with the parser."""
    group = commands.group("topic")
    commands.add("list", _list, "The topic in use, the shipped ones, and earlier ones.", group)
    which = "a shipped one, the name or hash of one that was chosen; by default the one in use"
    show = commands.add("show", _show, "Print a topic as its file has it.", group)
    show.add_argument("name", nargs="?", metavar="TOPIC", help=which)
    use = commands.add("use", _use, "Make a topic the project's; then propose again.", group)
    use.add_argument("topic", metavar="TOPIC", help="a file, a shipped one, or the name or hash of one chosen before")
    check = commands.add("check", _check, "Check a file; what is wrong is said with field and reason.", group)
    check.add_argument("file", metavar="FILE")
    export = commands.add("export", _export, "Write a topic to a file.", group)
    export.add_argument("name", nargs="?", metavar="TOPIC", help=which)
    export.add_argument("--out", required=True, metavar="FILE")
    export.add_argument("--overwrite", action="store_true", help="write over a file that is there")
    text = "How well the key sentences of a file are found by what is learnt from another: F1 and more."
    evaluating = commands.add("evaluate", _evaluate, text, group)
    evaluating.add_argument("file", metavar="FILE", help="JSON lines, one an article: sentences, and labels or grades")
    evaluating.add_argument(
        "--train",
        required=True,
        metavar="FILE",
        help="another such file, to learn from; without --verdicts the encoder is fine-tuned on it, too",
    )
    evaluating.add_argument(
        "--verdicts",
        type=int,
        metavar="N",
        help="learn from N sentences, chosen one batch after the other; the encoder stays as it is",
    )
