"""The pages: how each stands in the menu, and the right that opening it needs.

A new one is a file in pages/ that begins with `open_page()`, and its line here, by the name of that file.
"""

from dataclasses import dataclass

from annotate.project.rights import Right


@dataclass(frozen=True, slots=True)
class Entry:
    """A page: the heading of the menu below which it stands, its title, its icon, and the right to open it."""

    heading: str
    title: str
    icon: str
    right: Right


# In the order of the menu. What experts do all day lies open, under no heading; what curators and maintainers do now
# and then, one click below one.
ENTRIES: dict[str, Entry] = {
    "start": Entry("", "Start", ":material/home:", Right.REVIEW),
    "articles": Entry("", "Articles", ":material/library_books:", Right.REVIEW),
    "search": Entry("", "Search", ":material/search:", Right.REVIEW),
    "find": Entry("", "Find", ":material/travel_explore:", Right.REVIEW),
    "related": Entry("", "Related", ":material/hub:", Right.REVIEW),
    "review": Entry("", "Review", ":material/rate_review:", Right.REVIEW),
    "queue": Entry("", "Queue", ":material/low_priority:", Right.REVIEW),
    "progress": Entry("", "Progress", ":material/trending_up:", Right.REVIEW),
    "import_articles": Entry("Data", "Import", ":material/upload_file:", Right.IMPORT),
    "topic": Entry("Data", "Topic", ":material/category:", Right.TOPIC),
    "functions": Entry("Data", "Functions", ":material/label_important:", Right.REVIEW),
    "align": Entry("Data", "Align", ":material/compare_arrows:", Right.REVIEW),
    "gold": Entry("Data", "Gold", ":material/verified:", Right.GOLD),
    "retrain": Entry("Model", "Retrain", ":material/model_training:", Right.TRAIN),
    "evaluate": Entry("Model", "Evaluate", ":material/monitoring:", Right.EVALUATE),
    "report": Entry("Model", "Report", ":material/lab_profile:", Right.EVALUATE),
    # It shows which sentences nobody has judged, so it is for those who may see all labels.
    "fair_test": Entry("Model", "Fair test", ":material/balance:", Right.GOLD),
    "audit": Entry("Model", "Audit", ":material/fact_check:", Right.AUDIT),
    "encoders": Entry("Model", "Encoders", ":material/compare:", Right.EVALUATE),
    "language_model": Entry("Model", "Language model", ":material/forum:", Right.EVALUATE),
    "experiments": Entry("Studies", "Experiments", ":material/science:", Right.STUDY),
    "simulate": Entry("Studies", "Simulate", ":material/play_circle:", Right.STUDY),
    "agreement": Entry("Team", "Agreement", ":material/handshake:", Right.AGREEMENT),
    "adjudicate": Entry("Team", "Adjudicate", ":material/gavel:", Right.ADJUDICATE),
    "practice": Entry("Team", "Training round", ":material/school:", Right.REVIEW),
    # Of their own; of everybody with Right.HISTORY.
    "history": Entry("Team", "History", ":material/history:", Right.REVIEW),
    "people": Entry("Team", "People", ":material/group:", Right.PEOPLE),
    "status": Entry("Team", "Status", ":material/monitor_heart:", Right.OPERATE),
}
# The page that opens first: its address is that of the site.
FIRST = "start"
