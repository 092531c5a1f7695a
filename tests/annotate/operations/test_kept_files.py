"""Files that a backup keeps beside database and models: packed as they are, unpacked into their own folders alone."""

import io
import tarfile
from pathlib import Path

import pytest

from annotate.operations.kept_files import kept_bytes, pack, unpack
from annotate.project.home import home as data_folder

pytestmark = pytest.mark.usefixtures("home")


def packed(path: Path, name: str, kind: bytes = tarfile.REGTYPE) -> Path:
    with tarfile.open(path, "w") as tar:
        member = tarfile.TarInfo(name)
        member.size, member.type = (1, kind) if kind == tarfile.REGTYPE else (0, kind)
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


@pytest.mark.parametrize("name", ["../out.json", "models/config.json", "/etc/out.json", "llm/../../out.json"])
def test_names_that_lead_elsewhere_are_refused(tmp_path, name):
    with pytest.raises(ValueError, match="does not belong into a backup"):
        unpack(packed(tmp_path / "kept.tar", name), tmp_path / "new")
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.DIRTYPE, tarfile.CHRTYPE])
def test_what_is_no_plain_file_is_refused(tmp_path, kind):
    with pytest.raises(ValueError, match="does not belong into a backup"):
        unpack(packed(tmp_path / "kept.tar", "llm/x", kind), tmp_path / "new")
