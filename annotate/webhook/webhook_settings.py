"""Where events are sent, which of them, and the secret by which a receiver knows that they come from here."""

import hashlib
import hmac
import secrets

from pydantic import field_validator
from sqlalchemy.orm import Session

from annotate.outgoing.addresses import switched_on, tidy_address
from annotate.outgoing.networks import IpAddress, is_public, may_run_services
from annotate.project.acting import current_actor
from annotate.project.home import read, signing_secret
from annotate.project.rights import Right
from annotate.project.stored_settings import StoredSettings, change_settings, settings_now
from model.checked_settings import as_json, checked

PRIVATE = "KEYLINE_WEBHOOK_PRIVATE"
PREFIX = "keyline_wh_"
NONCE_BYTES = 16
EVENTS = ("verdicts", "articles", "jobs", "versions", "gold")  # what a receiver may be told or spared


@checked
class WebhookSettings(StoredSettings):
    """The receiver's address, none where it is empty, and which events it is told.

    `nonce` makes the secret, together with the key of the data folder: alone it tells nothing.
    """

    NAME = "webhook"
    RIGHT = Right.OPERATE

    address: str = ""
    nonce: str = ""
    verdicts: bool = True
    articles: bool = True
    jobs: bool = True
    versions: bool = True
    gold: bool = True

    @field_validator("address")
    @classmethod
    def _allowed(cls, address: str) -> str:
        """Encrypted, but for a receiver that the person who runs Keyline allows behind the firewall."""
        if not address.strip():
            return ""
        tidy = tidy_address(address)
        if not tidy.startswith("https://") and not switched_on(PRIVATE):
            raise ValueError(f"the address must begin with https://; {PRIVATE}=1 in the environment allows http://")
        return tidy


def allowed_machines(ip: IpAddress) -> bool:
    """Whether events may be sent to this machine: to machines of the internet and, if the person who runs Keyline says
    so, to this machine and others behind the firewall."""
    return may_run_services(ip) if switched_on(PRIVATE) else is_public(ip)


def new_secret() -> str:
    """Makes a new secret, which cannot be shown again; the former one is no longer valid."""
    choose(nonce=secrets.token_hex(NONCE_BYTES))
    with read() as session:
        return secret_of(settings_now(session, WebhookSettings))


def choose(**changed: object) -> None:
    """Changes some of the settings, under the name of the acting person. Raises ValueError, Forbidden."""
    with read() as session:
        before = settings_now(session, WebhookSettings)
    change_settings(current_actor().name, WebhookSettings(**(as_json(before) | changed)))


def secret_of(settings: WebhookSettings) -> str:
    """The secret that these settings stand for."""
    return PREFIX + hmac.new(signing_secret(), f"webhook {settings.nonce}".encode(), hashlib.sha256).hexdigest()


def signature(secret: str, moment: int, body: bytes) -> str:
    """What the header Keyline-Signature holds: HMAC-SHA256 of the time, a full stop and the body."""
    made = hmac.new(secret.encode(), f"{moment}.".encode() + body, hashlib.sha256).hexdigest()
    return f"t={moment},v1={made}"


def webhook_now(session: Session) -> WebhookSettings | None:
    """The settings that hold, None where events are sent nowhere."""
    settings = settings_now(session, WebhookSettings)
    return settings if settings.address and settings.nonce else None
