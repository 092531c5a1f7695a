"""The words that commands begin with, what each is for, and where it is declared.

--help lists them from here. A command imports the modules of its own word and no others: all of them take a second.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from annotate.capabilities.chosen import NAMES


@dataclass(frozen=True, slots=True)
class Word:
    """The first word of commands: its text, and the modules of this package that declare them, separated by spaces.

    `part`: the optional part that brings it, none for the core. `meant`: the second word where none is given. `also`:
    another name of it.
    """

    text: str
    modules: str
    part: str = ""
    meant: str = ""
    also: str = ""


# In the order of --help.
ALL = {
    "import": Word("Import articles: files, folders, zips, references, or Europe PMC identifiers.", "articles"),
    "articles": Word("Articles that are stored: lists, tags, removal.", "articles"),
    "labels": Word("Document labels: what articles are about.", "articles"),
    "gold": Word("The labelled sentences.", "gold"),
    "topic": Word("What the project looks for: kinds of names, cues, queries, guideline.", "topic", also="topics"),
    "triage": Word("Which articles hold any key sentence.", "models"),
    "auto-retrain": Word(
        "Start a training if the policy says so, else say why not: what the app does every minute, for cron.",
        "models",
    ),
    "retrain-policy": Word("When to train and who promotes; shown, or changed by options.", "models"),
    "propose": Word("Embed new articles and propose for all.", "models"),
    "train": Word("Fine-tune a new version on the labels and compare it with its parent.", "models"),
    "evaluate": Word("Average R-Precision and more, of a version on the labels.", "models"),
    "report": Word("The evaluation report of a version, kept for the page, or as a file.", "models"),
    "promote": Word("Let a version propose from now on.", "models"),
    "rollback": Word("Let the version before propose again.", "models"),
    "encoder": Word("Encoders to start from.", "models"),
    "agreement": Word("How far annotators agree, and what waits for a decision.", "agreement"),
    "people": Word("Accounts of a team, where KEYLINE_AUTH is local or oidc.", "people"),
    "token": Word("Tokens by which programs use the API in the name of a person.", "people"),
    "copy": Word("Copy this folder's SQLite database to PostgreSQL, and prove it equal.", "project"),
    "backup": Word("Write the database and the model files to one file, while all is in use.", "project"),
    "restore": Word("Make an empty data folder from a backup: all of it, or nothing.", "project"),
    "verify-backup": Word("Read a backup and compare every file with its SHA-256.", "project"),
    "verify": Word("Prove that nothing people did was changed behind Keyline, else name the first row.", "project"),
    "check": Word("Say whether the app would start with these settings, and what is wrong.", "project"),
    "status": Word("Articles, labels, versions and jobs.", "project"),
    "sample": Word("Load the sample corpus, propose, and recognise its genes and cells.", "project"),
    "serve": Word("Serve the app; a project without articles gets the sample meanwhile.", "project"),
    "work": Word("Run a queued job (used by the app).", "project"),
    "completion": Word("Print a script by which a shell completes commands.", "completion"),
    "search": Word("Search the words of all that is stored: docs/search.md.", "search", part="finding"),
    "index": Word("Bring the search index up to date.", "search", part="finding"),
    "find": Word(
        "Find articles by names and words.",
        "finding.find finding.judged finding.saved_searches",
        part="finding",
        meant="ask",
    ),
    "entities": Word("Genes, cells and organisms in texts.", "entities", part="entities"),
    "vocabulary": Word("The names that are recognised.", "entities", part="entities"),
    "functions": Word(
        "What each sentence does: background, objective, methods, results, conclusion.", "roles", part="roles"
    ),
    "related": Word("Articles that belong to an article.", "finding.related", part="related"),
    "encoders": Word("Compare encoders on small biomedical tasks.", "encoders", part="encoders"),
    "experiment": Word("Run the grid of a spec file; finished runs are not run again.", "studies", part="experiments"),
    "simulate": Word(
        "Simulate reviews of a labelled corpus; finished runs are not run again.", "studies", part="experiments"
    ),
    "llm": Word(
        "A large language model as one more ranking; off until you agree.",
        "outgoing.llm",
        part="llm",
        meant="status",
    ),
    "webhook": Word(
        "Events told to an address; none where none is named.", "outgoing.webhook", part="webhook", meant="status"
    ),
    "mcp": Word("Let assistants ask Keyline by the Model Context Protocol.", "server.mcp", part="api"),
    "projects": Word(
        "Several projects on one server, each with a data folder and an app of its own.",
        "server.projects",
        part="projects",
    ),
}


def words() -> dict[str, Word]:
    """The words of the core, and of the parts that are on."""
    return {name: word for name, word in ALL.items() if word.part in ("", *NAMES)}


def modules_of(words: Iterable[Word]) -> tuple[str, ...]:
    """The modules that declare the commands of these words, by their whole names."""
    named = (module for word in words for module in word.modules.split())
    return tuple(dict.fromkeys(f"annotate.cli.{module}" for module in named))
