"""Whether roles are read and shown, and by which version of their model."""

from annotate.project.rights import Right
from annotate.project.stored_settings import StoredSettings
from model.checked import checked


@checked
class FunctionSettings(StoredSettings):
    """`roles`: the role of every sentence is read after an import and shown in the reader."""

    NAME = "functions"
    RIGHT = Right.QUEUE

    roles: bool = True


@checked
class FunctionModel(StoredSettings):
    """`version`: of the model of roles that is in use; the newest where it is empty."""

    NAME = "function_model"
    RIGHT = Right.PROMOTE

    version: str = ""
