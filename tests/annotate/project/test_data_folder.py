"""A data folder that was moved away gets no empty one in its place, and a signing key that is none is named."""

from collections.abc import Callable
from pathlib import Path

import pytest

from annotate.project.home import (
    DamagedSecret,
    check_secret,
    folder,
    read,
    signing_secret,
    write,
    write_together,
)
from annotate.project.own_database import SECRET
from annotate.project.rights import Right
from db.engine import UnsafeDatabase
from tests.support.making import query

pytestmark = pytest.mark.usefixtures("home")


def reading() -> None:
    with read():
        pass


def writing() -> None:
    with write(Right.SYSTEM):
        pass


USES: dict[str, Callable[[], object]] = {
    "reading": reading,
    "writing": writing,
    "writing together": lambda: write_together(Right.SYSTEM, lambda _: None),
    "a folder in it": lambda: folder("jobs"),
    "the signing key": signing_secret,
}


@pytest.mark.parametrize("use", USES)
def test_a_data_folder_that_was_moved_away_gets_no_empty_one_in_its_place(use: str, home: Path) -> None:
    reading()
    aside = home.with_name("aside")
    home.rename(aside)
    with pytest.raises(UnsafeDatabase, match="was moved or removed while Keyline ran"):
        USES[use]()
    assert not home.exists()
    home.mkdir()  # by somebody else
    with pytest.raises(UnsafeDatabase, match="was moved or removed while Keyline ran"):
        USES[use]()
    assert list(home.iterdir()) == []
    home.rmdir()
    aside.rename(home)
    USES[use]()
    assert query("SELECT count(*) FROM article") == [(0,)]


def as_folder(path: Path) -> None:
    path.mkdir()


def as_link_to_nothing(path: Path) -> None:
    path.symlink_to(path.with_name("nothing"))


@pytest.mark.parametrize("happens", [as_folder, as_link_to_nothing])
def test_a_signing_key_that_is_no_file_is_named_with_the_reason(happens: Callable[[Path], None], home: Path) -> None:
    signing_secret()
    (home / SECRET).unlink()
    happens(home / SECRET)
    for use in (check_secret, signing_secret):
        with pytest.raises(DamagedSecret, match=r"secret.key cannot be read \(.*\): put the file back"):
            use()
