"""A topic's file: what it may hold, and how what it holds wrongly is said."""

import json

import pytest

from annotate.active_learning.article_rankers import not_found
from annotate.topics.file import SHIPPED, BadTopic, read_topic, shipped
from annotate.topics.schema import EXAMPLES_WEIGHT
from model.active_learning.features import features_of
from model.entities.edited import EditKind
from model.proposing.ranking import Pool, by_terms, parts_of
from model.proposing.rules import CUES
from model.proposing.terms import DocumentTerms
from tests.support.topics import BY_EXAMPLES, SMALL


def problems(text: str) -> dict[str, str]:
    with pytest.raises(BadTopic) as caught:
        read_topic(text, "sleep.yaml")
    assert str(caught.value).startswith("sleep.yaml: ")
    return dict(caught.value.problems)


@pytest.mark.parametrize("heads", ["(?i)nights?", "(?P<night>nights?)", r"(a)\\1", "a{99999999999}"])
def test_a_pattern_of_names_that_cannot_stand_within_another_is_refused(heads):
    text = SMALL.replace("line: double}", f'line: double, names: {{heads: "{heads}"}}}}', 1)
    assert any("heads" in field for field in problems(text))


def test_a_tag_of_yaml_that_fits_no_value_is_a_problem_of_the_file():
    assert problems("form: !!bool xyz\n") and problems("form: !!timestamp xyz\n")


@pytest.mark.parametrize("key", SHIPPED)
def test_every_shipped_topic_is_sound_and_says_what_a_key_sentence_is(key):
    topic = shipped(key)
    assert len(topic.sha256) == 64 and topic.rules.queries[topic.rules.best_query]
    assert "key sentence" in topic.file.guideline.lower() and len(topic.file.guideline) > 200


def test_an_unknown_shipped_topic_is_refused_with_what_there_is():
    with pytest.raises(ValueError, match="'x' is shipped; there are gene_editing, clinical_trial_findings, blank"):
        shipped("x")


def test_a_topic_is_read_with_its_kinds_cues_and_queries():
    topic = read_topic(SMALL)
    assert (topic.name, [kind.key for kind in topic.rules.kinds]) == ("Sleep", ["cause", "night"])
    assert (topic.choices, topic.keys, topic.file.kinds[0].title) == ({}, ("cause", "night"), "Causes")
    texts = ["She fell  asleep.", "A sleeper slept with warm feet.", "Nobody sleepless?", "Insleep fellasleep."]
    pool = Pool(texts, terms=DocumentTerms.of({"cause": ["warm feet"]}), rules=topic.rules)
    assert parts_of(pool)[:, :2].tolist() == [[1, 0], [1, 1], [1, 0], [0, 0]]
    assert by_terms(pool).tolist() == [2, 3, 2, 0]


def test_a_cue_may_be_a_section_and_its_sentences_count_whatever_they_say():
    rules = read_topic(SMALL.replace("kind: cause}", "section: abstract}")).rules
    pool = Pool(["Warm feet.", "She fell asleep."], sections=["abstract", "body"], rules=rules)
    assert parts_of(pool)[:, :2].tolist() == [[0, 1], [1, 0]]
    assert parts_of(Pool(pool.sentences, rules=rules))[:, :2].tolist() == [[0, 0], [1, 0]]
    assert not_found(features_of(pool)[1], pool)["cause"] == "cause: it does not stand in the abstract"


def test_the_hash_is_of_the_text_and_the_rules_name_of_what_ranks():
    one, other = read_topic(SMALL), read_topic(SMALL.replace("Warm feet let", "Warm hands let"))
    assert one.sha256 != other.sha256 and one.rules.name == other.rules.name
    assert read_topic(SMALL.replace("weight: 2", "weight: 3")).rules.name != one.rules.name
    assert read_topic(SMALL.replace("\n", "\r\n")).sha256 == one.sha256
    apart = read_topic(SMALL.replace("  generic:", "  each: cause\n  generic:"))
    assert (apart.rules.query_each, one.rules.query_each) == ("cause", "") and apart.rules.name != one.rules.name


def test_a_sign_at_the_end_of_a_cue_word_may_stand_at_a_letter_or_digit():
    words = json.dumps(["%", "p<", "n=", "fell", "cold*", "α", "<a"])
    signs = f"  - {{name: signs, weight: 1, words: {words}}}\n"
    rules = read_topic(SMALL.replace("queries:", signs + "queries:")).rules
    pattern = next(cue.pattern for cue in rules.cues if cue.name == "signs")
    found = ["fell by 12%", "(p<0.05)", "(n=12)", "it fell.", "colder", "α-synuclein", "x<a."]
    assert all(pattern.search(text) for text in found)
    assert not any(pattern.search(text) for text in ("felled", "befell", "icecold", "pα", "<ab"))


def test_a_topic_says_what_shared_words_are_worth_and_one_that_does_not_keeps_its_rules():
    worth = read_topic(SMALL.replace("queries:", "shared_words: 0.5\nqueries:")).rules
    silent = read_topic(SMALL).rules
    assert (worth.shared_words, silent.shared_words) == (0.5, 0.0) and worth.name != silent.name
    no_cues = SMALL[: SMALL.index("cues:")] + SMALL[SMALL.index("queries:") :]
    assert read_topic(no_cues).rules.shared_words == 0.25  # as the cosine
    assert read_topic(no_cues + "shared_words: 0\n").rules.shared_words == 0.0
    assert read_topic(SMALL.replace("queries:", "shared_words: 0\nqueries:")).rules.name == silent.name


def test_what_topics_have_in_common_counts_where_no_cue_was_written():
    no_cues = SMALL[: SMALL.index("cues:")] + SMALL[SMALL.index("queries:") :]
    assert (read_topic(SMALL).rules.common, read_topic(no_cues).rules.common) == (0.0, 0.5)  # twice the cosine
    assert shipped("blank").rules.common == 2.0 and shipped("blank").rules.ranking == "hybrid"
    chosen = read_topic(SMALL.replace("queries:", "common: 1.5\nqueries:"))
    by_examples = (
        no_cues + "examples: {weight: 1, accepted: [{sentence: He slept.}], rejected: [{sentence: He woke.}]}\n"
    )
    assert read_topic(by_examples).rules.common == 0.0  # what is learnt from them knows it
    assert chosen.rules.common == 1.5 and chosen.rules.name != read_topic(SMALL).rules.name


def test_what_earlier_releases_have_learnt_by_a_topic_stays_good():
    assert read_topic(SMALL).rules.name == "439dce0f8b4fa83f0341263488b268484b56e5ec92aa1db1020e0f45aee525e3"


@pytest.mark.parametrize(
    ("before", "after", "field", "reason"),
    [
        ("weight: 2", "weight: heavy", "cues.1.weight", "must be a number"),
        ("weight: 2", "weight: 11", "cues.1.weight", "is 11; it must be at most 10"),
        ("weight: 2", "weight: .nan", "cues.1.weight", "finite"),
        ("weight: 2, ", "", "cues.1.weight", "is missing"),
        ("form: 1", "form: 2", "form", "is 2; it must be 1"),
        ("name: Sleep\n", "", "name", "is missing"),
        ("about:", "aboot:", "aboot", "is no field of a topic"),
        ("colour: violet", "colour: pink", "kinds.1.colour", "is 'pink'; it must be blue, green"),
        ("colour: violet", "stands_in: titles, colour: violet", "kinds.1.stands_in", "must be genes, cells or edit"),
        ("key: night", "key: cause", "kinds.2.key", "cause is the key of two kinds"),
        ("key: night", "key: Night", "kinds.2.key", "is 'Night'; it must look like"),
        ("kind: cause}", "kind: dream}", "cues.2.kind", "there is no kind dream; there are cause, night"),
        ("name: cause, weight", "name: sleeping, weight", "cues.2.name", "sleeping is the name of two cues"),
        ("kind: cause}", "beside: cause}", "cues.2", "cause: needs words or a pattern, or else a kind"),
        ("kind: cause}", "kind: cause, section: body}", "cues.2", "cause: needs words or a pattern, or else a"),
        ("kind: cause}", "section: attic}", "cues.2.section", "is 'attic'; it must be"),
        ("kind: cause}", "pattern: '(a'}", "cues.2.pattern", "no regular expression: missing )"),
        ("kind: cause}", "pattern: 'a*'}", "cues.2.pattern", "it is found in an empty text"),
        ("kind: cause}", "pattern: '(?&bed)'}", "cues.2.pattern", "there is no piece bed; there are none"),
        ("kind: cause}", "kind: cause, part: left}", "cues.2.part", "cause has no part left; it has none"),
        ("[ by {cause}]", "[ by {dream}]", "queries.article", "there is no kind dream"),
        ("[ by {cause}]", "[ by {cause]}", "queries.article", "places are written {kind}"),
        ("[ by {cause}]", "[ by [{cause}]", "queries.article", "what may be left out is written [so]"),
        ("generic: {asleep", "each: dream\n  generic: {asleep", "queries.each", "dream is no kind of names; there are"),
        ("generic: {asleep", "each: night\n  generic: {asleep", "queries.each", "{night} does not stand in queries"),
        ("generic: {asleep", "best: awake\n  generic: {asleep", "queries.best", "'awake' is none of asleep"),
        ("generic: {asleep: \"What lets people sleep?\"}", "generic: {}", "queries.generic", "needs at least 1 entry"),
        ("cues:", "ranking: learned\ncues:", "ranking", "is 'learned'; it must be hybrid, terms or cosine"),
        ("cues:", "facets: [dream]\ncues:", "facets.1", "there is no kind dream"),
        ("line: double}", "line: double, choices: {}}", "kinds.2.choices", "must be a list"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_with_its_field_and_the_reason(before, after, field, reason):
    assert before in SMALL
    found = problems(SMALL.replace(before, after, 1))
    assert reason in found[field], found


def test_all_that_is_wrong_is_said_at_once():
    found = problems(SMALL.replace("weight: 2", "weight: x").replace("colour: violet", "colour: 7"))
    assert set(found) == {"cues.1.weight", "kinds.1.colour"}
    with pytest.raises(BadTopic, match=r"sleep.yaml: kinds.1.colour is '7'; .* \(and 1 more\)$|and 1 more"):
        read_topic(SMALL.replace("weight: 2", "weight: x").replace("colour: violet", "colour: '7'"), "sleep.yaml")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "holds no fields"),
        ("- a", "holds no fields"),
        ("form: [1", "line 2: no YAML"),
        ("a: &a [1]\nb: *a", "anchors and aliases"),
        ("a: \x00", "no YAML"),
        ("x" * 200_001, "longer than 200,000 characters"),
        ("[" * 20_000, "lists and fields within one another 100 deep"),
    ],
)
def test_what_is_no_yaml_of_fields_is_refused(text, reason):
    assert reason in problems(text)[""]


def test_more_cues_than_learn_are_refused():
    cues = "".join(f"  - {{name: c{number}, weight: 1, words: [w{number}]}}\n" for number in range(CUES + 1))
    text = SMALL[: SMALL.index("cues:")] + "cues:\n" + cues + SMALL[SMALL.index("queries:") :]
    assert problems(text) == {"cues": f"has more than {CUES} entries"}


def test_pieces_that_stand_in_each_other_end_in_a_message():
    text = SMALL.replace("kind: cause}", "pattern: '(?&a)'}") + "pieces: {a: '(?&b)', b: '(?&a)'}\n"
    assert "deep" in problems(text)["cues.2.pattern"]
    doubling = ", ".join(f"p{chr(97 + n)}: '(?&p{chr(98 + n)})(?&p{chr(98 + n)})'" for n in range(20))
    text = SMALL.replace("kind: cause}", "pattern: '(?&pa)'}") + f"pieces: {{{doubling}, pu: 'xxxxxxxxxxxxxxxxxxxx'}}\n"
    assert set(problems(text)) == {"cues.2.pattern"}


def test_articles_may_be_told_apart_by_disease_and_organism_too():
    topic = read_topic(SMALL.replace("cues:\n", "facets: [cause, disease, organism]\ncues:\n"))
    assert topic.file.facets == ["cause", "disease", "organism"]


def test_overexpression_is_among_the_edits_to_choose_from():
    assert shipped("gene_editing").choices == {"edit": ("KO", "KI", "KD", "OE")}
    assert set(EditKind) == set(shipped("gene_editing").choices["edit"])


def test_examples_of_both_kinds_rank_where_there_is_no_cue_or_where_the_file_says_how_much():
    topic = read_topic(BY_EXAMPLES)
    examples = topic.rules.examples
    assert (len(examples.accepted), len(examples.rejected), examples.weight) == (3, 3, EXAMPLES_WEIGHT)
    fewer = BY_EXAMPLES.replace("    - {sentence: Warm milk let people sleep.}\n", "")
    assert read_topic(fewer).rules.examples.weight == 0
    assert read_topic(fewer.replace("  accepted:", "  weight: 2\n  accepted:")).rules.examples.weight == 2
    cue = "cues:\n  - {name: sleeping, weight: 2, words: [sleep*]}\nqueries:"
    assert read_topic(BY_EXAMPLES.replace("queries:", cue)).rules.examples.weight == 0
    assert all(shipped(key).rules.examples.weight == 0 for key in SHIPPED)


def test_examples_name_the_rules_only_where_they_rank():
    changed = "Warm milk let people sleep.", "Warm tea let people sleep."
    weightless = BY_EXAMPLES.replace("  accepted:", "  weight: 0\n  accepted:")
    assert read_topic(BY_EXAMPLES).rules.name != read_topic(BY_EXAMPLES.replace(*changed)).rules.name
    assert read_topic(weightless).rules.name == read_topic(weightless.replace(*changed)).rules.name


def test_examples_that_cannot_teach_are_problems():
    alone = BY_EXAMPLES.replace("  accepted:", "  weight: 1\n  others:").replace("  others:", "  rejected:", 1)
    alone = alone.replace(alone[alone.rindex("  rejected:") : alone.index("queries:")], "")
    assert problems(alone) == {"examples.weight": "needs sentences that count and sentences that do not"}
    twice = BY_EXAMPLES.replace("The questionnaire was sent by mail.", "Warm milk let people sleep.")
    assert problems(twice) == {"examples.rejected.1": "stands among the accepted sentences, too"}
