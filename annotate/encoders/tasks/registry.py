"""The tasks: one line each. A new one is a function that reads its items, and its line here."""

from collections.abc import Sequence
from pathlib import Path

from pydantic import Field

from annotate.encoders.tasks import json_files, owners_files
from annotate.encoders.tasks.json_files import ENDINGS as JSON
from annotate.encoders.tasks.json_files import find
from annotate.encoders.tasks.suites import MTEB, suite_task
from annotate.encoders.tasks.task import Item, Items, Kind, NotInstalled, Place, Task
from annotate.evaluation.evaluate_version import NotEnoughGold, evaluated_articles
from annotate.gold.label_sets import current_label_set
from annotate.project.home import read
from annotate.project.rights import Right
from annotate.project.stored_settings import StoredSettings
from annotate.retraining.training_set import labelled_articles
from db.values import Split
from model.checked_settings import checked

ENDINGS = (*JSON, ".txt", ".tsv", ".json", ".xml")
ACCURACY, F1S = ("accuracy", "macro_f1"), ("micro_f1", "macro_f1")
UNFAIR = (
    "Most of what was judged here was proposed by earlier versions, which flatters these and what is like them; the "
    "fair test on the page Check compares versions fairly"
)
SMALL = (2_400, 1_200)  # sentences of abstracts to learn from and to test on, unless all are asked for

PUBMED_20K, PICO = ("PubMed_20k_RCT/train", "PubMed_20k_RCT/test"), ("PICO_train", "PICO_test")


def key_sentences(place: Place) -> Items:
    """The test articles with key sentences: the query in front, then the sentences, and 0 or 1 for each of these.

    Raises NotInstalled where the project has none yet.
    """
    if why := why_no_gold():
        raise NotInstalled(why)
    with read() as session:
        articles = labelled_articles(session, current_label_set(session), Split.TEST, place.query)
    return Items([Item((one.query, *one.sentences), one.truth, one.key) for one in articles if any(one.truth)])


def why_no_gold() -> str:
    """Why there is nothing to rank, empty where there is."""
    with read() as session:
        try:
            evaluated_articles(session, current_label_set(session), Split.TEST)
        except NotEnoughGold as error:
            return str(error)
    return ""


_LINES = (
    Task("biosses", "BIOSSES", Kind.SIMILARITY, json_files.biosses, ("pearson", "spearman"), ("biosses",),
         "Sogancioglu et al. 2017", "GPL 3.0", cheap=True),
    Task("rqe", "RQE", Kind.PAIR, json_files.rqe, ("accuracy",), ("rqe_train", "rqe_test"),
         "Ben Abacha and Demner-Fushman 2016", "CC BY 4.0", most=(3_000, 302), cheap=True),
    Task("functions", "Functions", Kind.TRIPLET, json_files.triplets, ("accuracy",),
         ("function_triplets_test|function_triplets_dev",), "Iwatsuki et al. 2020", "CC BY-NC-SA 3.0", cheap=True),
    Task("roles_pubmed", "Roles, PubMed", Kind.SINGLE, json_files.roles("roles_pubmed"), ACCURACY,
         ("roles_pubmed_train", "roles_pubmed_test|roles_pubmed_validation"), "MEDLINE, sections as labels",
         "NLM, public data", most=SMALL, cheap=True),
    Task("roles_trials", "Roles, trials", Kind.SINGLE, json_files.roles("roles_trials"), ACCURACY,
         ("roles_trials_train", "roles_trials_test|roles_trials_validation"), "PubMed Central trials, by section",
         "CC0 to CC BY-NC-SA, by article", most=SMALL),
    Task("citation_sentiment", "Citation sentiment", Kind.SINGLE, json_files.citation_sentiment, ACCURACY,
         ("citation_sentiment",), "Xu et al. 2015", "none stated"),
    Task("citation_folds", "Citation sentiment, folds", Kind.SINGLE, json_files.citation_folds, ACCURACY,
         ("citation_sentiment",), "Xu et al. 2015", "none stated"),
    Task("hallmarks", "Hallmarks of cancer", Kind.SEVERAL, json_files.hallmarks, F1S, ("hallmarks",),
         "Baker et al. 2016", "GPL 3.0", most=(4_000, 4_000), cheap=True),
    Task("pubmedqa", "PubMedQA", Kind.PAIR, json_files.pubmedqa, ACCURACY, ("pubmedqa",), "Jin et al. 2019", "MIT"),
    Task("piboso", "PIBOSO", Kind.SINGLE, json_files.roles("piboso"), ACCURACY,
         ("piboso_train", "piboso_test|piboso_validation"), "Kim et al. 2011", "for research"),
    Task("key_sentences", "Key sentences", Kind.RANKING, key_sentences, ("arp",), (), "this project's gold",
         "this project's", note=UNFAIR),
    Task("mednli", "MedNLI", Kind.PAIR, owners_files.mednli, ACCURACY, ("mli_train_v1", "mli_test_v1"),
         "Romanov and Shivade 2018", "PhysioNet, credentialed access"),
    Task("clinical_sts", "ClinicalSTS", Kind.SIMILARITY, owners_files.clinical_sts, ("pearson", "spearman"),
         ("clinicalSTS2019.test",), "Wang et al. 2020", "data use agreement"),
    Task("pubmed20k", "PubMed 20k", Kind.SINGLE, owners_files.abstracts(*PUBMED_20K), ACCURACY, PUBMED_20K,
         "Dernoncourt and Lee 2017", "as distributed", most=SMALL),
    Task("pico", "PICO", Kind.SINGLE, owners_files.abstracts(*PICO), ACCURACY, PICO, "Jin and Szolovits 2018",
         "as distributed", most=SMALL),
    Task("bioasq", "BioASQ", Kind.PAIR, owners_files.bioasq, ("accuracy", "positive_f1"),
         ("BioASQ-training6b", "6B1_golden"), "Tsatsaronis et al. 2015", "registration"),
    Task("bioc", "BioC claims", Kind.PAIR, owners_files.bioc, ("accuracy", "positive_f1"), ("ManConCorpus",),
         "Alamri and Stevenson 2016", "as distributed"),
    Task("vaccine_tweets", "Vaccine tweets", Kind.SINGLE, owners_files.vaccine_tweets, ACCURACY, ("hpv_tweets",),
         "Du et al. 2017", "texts not distributed"),
)  # fmt: skip
TASKS: dict[str, Task] = {task.name: task for task in _LINES}
CHEAP = tuple(name for name, task in TASKS.items() if task.cheap)


@checked
class TaskFolder(StoredSettings):
    """The folder on the server that holds the files of the tasks; empty where none was named."""

    NAME = "encoder_tasks"
    RIGHT = Right.EVALUATE

    folder: str = Field(default="", max_length=1_000)

    @property
    def place(self) -> Place:
        """Where tasks read, without a query."""
        return place_of([self.folder] if self.folder else [])


def place_of(folders: Sequence[str]) -> Place:
    """Where tasks read. Raises ValueError for a path that is no folder."""
    paths = tuple(Path(folder).expanduser().resolve() for folder in folders)
    for path in paths:
        if not path.is_dir():
            raise ValueError(f"{path} is no folder")
    return Place(paths)


def find_task(name: str) -> Task:
    """The task of this name, or one of the package mteb as mteb:NAME. Raises ValueError that lists the names."""
    if name.startswith(MTEB):
        return suite_task(name)
    if name not in TASKS:
        raise ValueError(f"no task {name!r}; there are {', '.join(TASKS)} and, where mteb is installed, {MTEB}NAME")
    return TASKS[name]


def installed(place: Place) -> dict[str, str]:
    """Each task with why it cannot be run here, or nothing where it can. Opens no file of a task."""
    return {name: why_not(task, place) for name, task in TASKS.items()}


def why_not(task: Task, place: Place) -> str:
    """Why a task cannot be run here, empty where it can."""
    missing = [wanted for wanted in task.files if not any(find(place, name, ENDINGS) for name in wanted.split("|"))]
    if missing:
        return "not installed: " + ", ".join(missing).replace("|", " or ")
    if task.kind is Kind.RANKING:
        return why_no_gold()
    return ""
