"""Which language model is asked and what it may cost; and the consent without which no text leaves this machine."""

import os

from pydantic import Field, field_validator
from sqlalchemy.orm import Session

import db.rows
from annotate.outgoing.addresses import tidy_address
from annotate.project.acting import current_actor
from annotate.project.home import read
from annotate.project.rights import Right
from annotate.project.stored_settings import StoredSettings, settings_now
from db.tables import Setting
from model.checked_settings import as_json, checked

KEY, KEY_ADDRESS = "KEYLINE_LLM_KEY", "KEYLINE_LLM_ADDRESS"
COMPLETIONS = "/chat/completions"
LONGEST_NAME = 200


class NoConsent(RuntimeError):
    """No maintainer has agreed that text is sent to the address, or the key is not meant for it."""


@checked
class LlmConsent(StoredSettings):
    """The address to which the text of articles may be sent; none where it is empty."""

    NAME = "llm_consent"
    RIGHT = Right.EVALUATE

    address: str = ""


@checked
class LlmSettings(StoredSettings):
    """The language model: none where `address` is empty. Prices are of a million tokens, `budget` of one job, all in
    the same money; without prices nothing is counted against it.

    `window_characters`: of an article's sentences in one question; `window_overlap`: sentences that stand in two.
    `may_propose`: it proposes where it was found better than the usual ranking.
    """

    NAME = "llm"
    RIGHT = Right.EVALUATE

    address: str = ""
    model: str = ""
    price_in: float = Field(default=0.0, ge=0.0, le=10_000.0)
    price_out: float = Field(default=0.0, ge=0.0, le=10_000.0)
    budget: float = Field(default=0.0, ge=0.0, le=1_000_000.0)
    window_characters: int = Field(default=20_000, ge=500, le=1_000_000)
    window_overlap: int = Field(default=5, ge=0, le=50)
    timeout_seconds: int = Field(default=180, ge=5, le=500)
    seed: int = Field(default=0, ge=0, le=2_000_000_000)
    may_propose: bool = False

    @field_validator("address")
    @classmethod
    def _base(cls, address: str) -> str:
        """The base of an OpenAI-compatible service: what people copy from its documentation ends here or there."""
        if not address.strip():
            return ""
        tidy = tidy_address(address).rstrip("/").removesuffix(COMPLETIONS)
        return tidy if "/" in tidy.partition("://")[2] else f"{tidy}/v1"

    @field_validator("model")
    @classmethod
    def _name(cls, model: str) -> str:
        """A name that fits on a line."""
        if len(model) > LONGEST_NAME or not model.isprintable():
            raise ValueError(f"the name of a model has at most {LONGEST_NAME} characters, all printable")
        return model.strip()

    def after_change(self, session: Session) -> None:
        """Consent was to another address: it is taken back."""
        if settings_now(session, LlmConsent).address not in ("", self.address):
            withdrawn = as_json(LlmConsent())
            db.rows.add(session, Setting(name=LlmConsent.NAME, content=withdrawn, changed_by=current_actor().name))


def consent_row(session: Session) -> Setting | None:
    """The consent that holds, with who gave it and when; None where none was given, or it was taken back."""
    stored = db.rows.find(session, Setting, name=LlmConsent.NAME)
    return stored if stored is not None and stored.content.get("address") else None


def why_not_asked(session: Session) -> str | None:
    """Why no language model may be asked now; None where it may."""
    settings = settings_now(session, LlmSettings)
    if not settings.address or not settings.model:
        return "no language model is set: name its address and its model"
    if settings_now(session, LlmConsent).address != settings.address:
        return f"it was not agreed yet that the text of articles is sent to {settings.address}"
    if (settings.price_in or settings.price_out) and not settings.budget:
        return "it costs money: name a budget, which no job may pass"
    return None


def settings_to_ask_by() -> LlmSettings:
    """The settings as they are now, asked for before every question. Raises NoConsent where none may be asked."""
    with read() as session:
        reason = why_not_asked(session)
        settings = settings_now(session, LlmSettings)
    if reason:
        raise NoConsent(reason)
    return settings


def key_for(address: str) -> str:
    """The key of the service, from the environment; empty where it wants none.

    It goes only to the address that the person who runs Keyline has named with it: a maintainer, who chooses the
    address on a page, cannot have it sent elsewhere. Raises NoConsent.
    """
    key = os.environ.get(KEY, "").strip()
    if not key:
        return ""
    meant = os.environ.get(KEY_ADDRESS, "")
    if not meant or LlmSettings(address=meant).address != address:
        raise NoConsent(
            f"{KEY} is set, but {KEY_ADDRESS} does not say that it is for {address}: set it to that address"
        )
    return key
