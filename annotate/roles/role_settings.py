"""Whether roles are read and shown."""

from annotate.project.rights import Right
from annotate.project.stored_settings import StoredSettings
from model.checked import checked


@checked
class FunctionSettings(StoredSettings):
    """`roles`: the role of every sentence is read after an import and shown in the reader."""

    NAME = "functions"
    RIGHT = Right.QUEUE

    roles: bool = True
