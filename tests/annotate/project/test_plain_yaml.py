"""The one reader of YAML that people write: what is plain is read, and what costs more than it says is refused."""

from pathlib import Path

import pytest

from annotate.experiments.experiments import EXPERIMENT
from annotate.experiments.simulations import SIMULATION
from annotate.project.files.plain_yaml import MOST_CHARACTERS, BadYaml, read_yaml, read_yaml_file
from annotate.projects.project_file import BadProjects, projects_of
from annotate.topics.file import BadTopic, read_topic
from annotate.topics.sections import text_with
from annotate.topics.slow_patterns import tried_topic
from tests.support.topics import SMALL

# Ten lines, each of which stands for ten of the one before.
LAUGHS = "a0: &a0 [ha]\n" + "".join(
    f"a{number}: &a{number} [{', '.join([f'*a{number - 1}'] * 10)}]\n" for number in range(1, 11)
)
HOSTILE = {
    LAUGHS: "line 2: anchors and aliases",
    "a: &a [*a]": "line 1: anchors and aliases",
    "b:\n  - " + "[" * 20_000: "line 2: lists and fields within one another 100 deep",
    "a: " + "x" * MOST_CHARACTERS: "longer than 200,000 characters",
    "a: [": "line 2: no YAML",
    "a: \x00": "no YAML",
    "a: 2026-13-45": "no YAML",
    "a: !!int ''": "no YAML",
    "a: " + "9" * 5_000: "no YAML",
    "a: !!python/object/apply:os.getpid []": "line 1: no YAML",
}


def test_what_is_plain_is_read():
    text = "name: a\nseeds: [1, 2]\nshare: 0.5\ntrain: true\nnone:\nlong: |\n  two\n  lines\n"
    told = {"name": "a", "seeds": [1, 2], "share": 0.5, "train": True, "none": None, "long": "two\nlines\n"}
    assert read_yaml(text) == told


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_what_is_not_plain_is_refused_with_its_line_by_everything_that_reads_yaml(text: str, tmp_path: Path):
    reason = HOSTILE[text]
    path = tmp_path / "mine.yaml"
    path.write_text(text)
    with pytest.raises(BadYaml, match=reason):
        read_yaml(text)
    for spec in (EXPERIMENT, SIMULATION):
        with pytest.raises(ValueError, match=f"mine.yaml: {reason}"):
            spec.read_spec(path)
    with pytest.raises(BadTopic, match=f"mine.yaml: {reason}"):
        read_topic(text, path.name)
    with pytest.raises(BadProjects, match=f"mine.yaml: {reason}"):
        projects_of(text, path)


def test_a_part_of_a_topic_is_changed_in_a_text_that_is_not_plain_without_reading_it():
    assert text_with(LAUGHS, {"name": "mine"}).endswith('name: "mine"\n')


def test_a_file_that_is_no_text_or_longer_than_any_is_refused_by_its_beginning(tmp_path: Path):
    (tmp_path / "a.yaml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(BadYaml, match="no text in UTF-8"):
        read_yaml_file(tmp_path / "a.yaml")
    with pytest.raises(BadYaml, match="longer than"):
        read_yaml_file(Path("/dev/zero"))


def test_a_field_that_stands_twice_is_refused_where_people_bring_it(tmp_path: Path):
    twice = SMALL + "cues:\n  - {name: other, weight: 1, words: [b]}\n"
    with pytest.raises(BadTopic, match=r"line [0-9]+: cues stands twice"):
        tried_topic(twice)
    assert [cue.name for cue in read_topic(twice).file.cues] == ["other"]  # a stored one goes on as it was
    for text in ("a: 1\nb: {a: 2, c: [a, a]}\na: 3", "a: [{b: 1, b: 2}]", "{a: {}, b: [], a: 1}"):
        (tmp_path / "a.yaml").write_text(text)
        with pytest.raises(BadYaml, match=r"line [0-9]: [ab] stands twice"):
            read_yaml_file(tmp_path / "a.yaml")
    with pytest.raises(BadProjects, match="line 3: folder stands twice"):
        projects_of("projects:\n  a: {folder: a,\n      folder: b}", tmp_path / "projects.yaml")
    (tmp_path / "a.yaml").write_text("a: a\nb: [a, a]\nc: {a: {a: a}}")
    assert read_yaml_file(tmp_path / "a.yaml") == {"a": "a", "b": ["a", "a"], "c": {"a": {"a": "a"}}}
