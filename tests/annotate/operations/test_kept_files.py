"""Files that a backup keeps beside database and models: packed as they are, unpacked into their own folders alone."""

import io
import stat
import tarfile
from pathlib import Path

import pytest

from annotate.operations.kept_files import kept_bytes, pack, unpack
from annotate.project.home import home as data_folder

pytestmark = pytest.mark.usefixtures("home")


def packed(path: Path, *names: str, kind: bytes = tarfile.REGTYPE, mode: int = 0o644) -> Path:
    with tarfile.open(path, "w") as tar:
        for name in names:
            member = tarfile.TarInfo(name)
            member.size, member.type = (1, kind) if kind == tarfile.REGTYPE else (0, kind)
            member.mode, member.linkname = mode, "/etc/passwd"
            member.pax_headers = {"path": name}  # the other place of a name ends at a zero
            tar.addfile(member, io.BytesIO(b"x") if member.size else None)
    return path


def test_without_any_there_is_nothing_to_keep(tmp_path):
    assert not pack(tmp_path / "kept.tar") and kept_bytes() == 0


def test_what_goes_while_it_is_packed_is_left_out(tmp_path):
    (data_folder() / "llm").mkdir(parents=True)
    (data_folder() / "llm" / "gone.json").symlink_to(tmp_path / "nowhere")
    (data_folder() / "llm" / "there.json").write_bytes(b"{}")
    assert pack(tmp_path / "kept.tar") and kept_bytes() == 2
    unpack(tmp_path / "kept.tar", tmp_path / "new")
    assert [path.name for path in (tmp_path / "new" / "llm").iterdir()] == ["there.json"]


OUTSIDE = "../out.json models/config.json /etc/out.json llm/../../out.json llm/../x llm . llm//x llm/./x llm/x\0y"


@pytest.mark.parametrize("name", OUTSIDE.split(" "))
def test_names_that_lead_elsewhere_are_refused(tmp_path, name):
    with pytest.raises(ValueError, match="does not belong into a backup"):
        unpack(packed(tmp_path / "kept.tar", name), tmp_path / "new")
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.DIRTYPE, tarfile.CHRTYPE])
def test_what_is_no_plain_file_is_refused(tmp_path, kind):
    with pytest.raises(ValueError, match="does not belong into a backup"):
        unpack(packed(tmp_path / "kept.tar", "llm/x", kind=kind), tmp_path / "new")
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize("second", ["llm/x", "llm/x/y"])
def test_a_file_takes_no_place_that_another_has(tmp_path, second):
    with pytest.raises(ValueError, match="in the way"):
        unpack(packed(tmp_path / "kept.tar", "llm/x", second), tmp_path / "new")


def test_no_link_in_the_folder_is_followed(tmp_path):
    (tmp_path / "new" / "llm").mkdir(parents=True)
    (tmp_path / "new" / "llm" / "x").symlink_to(tmp_path / "outside")
    with pytest.raises(ValueError, match="in the way"):
        unpack(packed(tmp_path / "kept.tar", "llm/x"), tmp_path / "new")
    assert not (tmp_path / "outside").exists()


@pytest.mark.parametrize("mode", [0o4777, 0o2755, 0o666, 0])
def test_files_are_their_owners_alone_whatever_the_archive_says(tmp_path, mode):
    unpack(packed(tmp_path / "kept.tar", "llm/deep/x", mode=mode), tmp_path / "new")
    found = tmp_path / "new" / "llm" / "deep" / "x"
    assert stat.S_IMODE(found.stat().st_mode) == 0o600 and found.read_bytes() == b"x"
