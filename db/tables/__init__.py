"""All tables, one module a concern.

Import every table from here: tables name one another by text, so all of them must be declared before one is used.
Rows enter and leave through the functions of the `db` room; the other rooms take the classes as types. The migrations
make the schema, and these classes must agree with it. The modules import `db.base`, and each other for shared columns.
"""

from db.tables.active_learning import ArticleFeatures, Head, Ranker, TriageFit
from db.tables.articles import (
    Article,
    ArticleChange,
    ArticleRemoval,
    ArticleTag,
    Citation,
    DocumentLabel,
    Paragraph,
    Reference,
    Section,
    Sentence,
)
from db.tables.evaluation import ArticleScore, AuditVerdict, Evaluation, FinishedRun, Report
from db.tables.finding import ReadText, RelatedVerdict, Relevance, StoredQuestion
from db.tables.project import GoldSnapshot, Job, Setting, Topic
from db.tables.proposing import Embedding, Proposal, ProposalSet, QueryEmbedding
from db.tables.registry import ModelVersion, Promotion
from db.tables.review import Annotator, Assignment, Comment, QueueRequest, Reading, Verdict
from db.tables.scans import (
    ArticleRoles,
    ArticleScan,
    EntityCandidate,
    EntityScan,
    FunctionExample,
    LabelProposal,
    OwnFunction,
    TriageScore,
)
from db.tables.seals import Seal
from db.tables.team import Account, ApiToken, HistoryEntry, LoginAttempt, LoginSession
