"""The kinds of job: what people call each, the right it needs, and how long it may be silent.

A new one is a function in annotate/work.py with its line in HANDLERS there, and its line here. A function of an
optional part has its line in annotate/capabilities in place of HANDLERS. There are two lines, since jobs are started,
shown and refused by modules that cannot import the work itself: they lie below it and do without torch.
"""

from dataclasses import dataclass

from annotate.project.rights import Right

# A job that has reported nothing for so long hangs.
STALL_SECONDS = 600


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of job: its title, and what starting one needs. `stall_seconds` where not as the others."""

    title: str
    right: Right
    stall_seconds: float | None = None

    @property
    def cancel_right(self) -> Right:
        """What cancelling another person's needs: experts, who begin some by their work, cancel only their own."""
        return Right.QUEUE if self.right in (Right.REVIEW, Right.LABEL) else self.right


KINDS: dict[str, Kind] = {
    "import": Kind("Import", Right.IMPORT),
    "entities": Kind("Recognising names", Right.IMPORT),
    "functions": Kind("Telling what sentences do", Right.IMPORT),
    "vocabulary": Kind("Loading a vocabulary", Right.IMPORT),
    "index": Kind("Updating the search index", Right.REVIEW),  # a person who searches may find it behind
    "propose": Kind("Proposing", Right.LABEL),  # an expert's new document labels ask for new proposals
    "triage": Kind("Learning which articles hold key sentences", Right.LABEL),  # Keyline begins it after verdicts
    "label": Kind("Tags and labels of many articles", Right.LABEL),
    "assign": Kind("Assigning many articles", Right.QUEUE),
    "remove": Kind("Removing many articles", Right.REMOVE),  # and taking them back
    "train": Kind("Retraining", Right.TRAIN),
    "evaluate": Kind("Evaluation", Right.EVALUATE),
    "report": Kind("Report", Right.EVALUATE),
    "experiment": Kind("Experiment", Right.STUDY),
    "simulate": Kind("Simulation", Right.STUDY),
    "encoder": Kind("Adding an encoder", Right.TRAIN, 3600),  # it may wait for a download that tells nothing
    "find-train": Kind("Training a stage of Find", Right.TRAIN),
    "related": Kind("Comparing cited works", Right.REVIEW),
    "related-train": Kind("Learning from reference lists", Right.TRAIN),
    "encoders": Kind("Comparing encoders", Right.EVALUATE, 3600),  # a hub id may wait for a download
    "llm": Kind("Asking a language model", Right.EVALUATE, 3600),  # an answer may take minutes, and a try again more
    "backup": Kind("Backup", Right.OPERATE),
}


def title_of(kind: str) -> str:
    """The title of a kind of job; the kind itself where it is of another release."""
    return KINDS[kind].title if kind in KINDS else kind
