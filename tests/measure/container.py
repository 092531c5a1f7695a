"""Builds the image, starts the three services of compose, and does the main job in them in a real browser.

    python -m tests.measure.container                           # images come from the registry, as for users
    python -m tests.measure.container --debian --torch FOLDER   # where no registry is reached
    python -m tests.measure.container --built                   # the images are there, from an earlier time

As root, with Debian's `podman`, `buildah` and `chromium`, and `podman-compose` of PyPI; ports 80 and 443 of this
machine are free. `--debian`: the base, and stand-ins for the official images of nginx and PostgreSQL, are made of
Debian's packages by `debootstrap`. `--torch`: the folder with the wheel of torch for processors.
Prints one JSON object: seconds a step, the size of the image, and what was answered.
"""

import argparse
import functools
import http.server
import json
import os
import secrets
import shutil
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from tests.browser.test_login import log_in
from tests.support.browser import FLAGS, Browsers, new_page, wait_until_saved
from tests.support.paths import ROOT
from tests.support.team import PASSWORD

NAME = "keyline.test"
BASE = "localhost/keyline-base"
DEPLOY = ROOT / "docs" / "deploy"
# Two images of Debian's packages that take the same settings as the official ones.
STAND_INS = {
    "docker.io/library/nginx:1.28.0-bookworm": """
RUN apt-get update && apt-get install -y --no-install-recommends nginx && rm -rf /etc/nginx/sites-enabled/* \\
    && ln -sf /dev/stdout /var/log/nginx/access.log && ln -sf /dev/stderr /var/log/nginx/error.log
""",
    "docker.io/library/postgres:17.5-bookworm": """
RUN apt-get update && apt-get install -y --no-install-recommends postgresql
ENV PATH=/usr/lib/postgresql/15/bin:/usr/sbin:/usr/bin:/sbin:/bin PGDATA=/var/lib/postgresql/data
COPY start /start
CMD ["sh", "-e", "/start"]
""",
}
START_POSTGRESQL = """
as_postgres() { su postgres -c "PATH=$PATH; $1"; }
chown postgres "$PGDATA"
if [ ! -f "$PGDATA/PG_VERSION" ]; then
    echo "$POSTGRES_PASSWORD" >/tmp/password
    as_postgres "initdb -D $PGDATA -U $POSTGRES_USER --pwfile=/tmp/password -A scram-sha-256 -E UTF8 --locale=C.UTF-8"
    rm /tmp/password
    echo "host all all all scram-sha-256" >>"$PGDATA/pg_hba.conf"
    echo "CREATE DATABASE $POSTGRES_DB" | as_postgres "postgres --single -D $PGDATA postgres"
fi
exec su postgres -c "PATH=$PATH; exec postgres -D $PGDATA -c listen_addresses='*' -c unix_socket_directories=/tmp"
"""
SOURCES = "".join(
    f"deb http://deb.debian.org/{place} main\n"
    for place in ("debian bookworm", "debian bookworm-updates", "debian-security bookworm-security")
)
CERTIFICATES = Path("/etc/ssl/certs/ca-certificates.crt")
ANSWER_SECONDS = 120


def run(*command: str, folder: Path = ROOT, typed: str | None = None) -> str:
    """What the command prints; its errors go to the screen. Raises CalledProcessError."""
    done = subprocess.run(command, cwd=folder, input=typed, stdout=subprocess.PIPE, text=True, check=True)
    return done.stdout


def make_base(folder: Path) -> None:
    """Debian 12 of its packages, as an image; pip trusts the certificates in it that this machine trusts."""
    tree = folder / "base"
    run("debootstrap", "--variant=minbase", "bookworm", str(tree))
    shutil.copy(CERTIFICATES, tree / "etc/pip.crt")
    (tree / "etc/pip.conf").write_text("[global]\ncert = /etc/pip.crt\n")
    (tree / "etc/apt/sources.list").write_text(SOURCES)
    container = run("buildah", "from", "scratch").strip()
    run("buildah", "copy", container, str(tree), "/")
    run("buildah", "commit", "--rm", container, BASE)
    shutil.rmtree(tree)


def build(image: str, recipe: Path, context: Path, **arguments: str) -> None:
    """One image of a recipe, in chroots, which need no more of the kernel than this machine may give."""
    said = [word for name, value in arguments.items() for word in ("--build-arg", f"{name}={value}")]
    way = ("--isolation", "chroot", "--format", "docker")
    run("buildah", "build", *way, "-t", image, "-f", str(recipe), *said, str(context))


def make_stand_ins(folder: Path) -> None:
    """The two images of STAND_INS."""
    (folder / "start").write_text(START_POSTGRESQL)
    for image, steps in STAND_INS.items():
        (folder / "Containerfile").write_text(f"FROM {BASE}{steps}")
        build(image, folder / "Containerfile", folder)


@contextmanager
def index_of(wheels: Path, folder: Path) -> Iterator[str]:
    """The address of an index of packages that has torch, and nothing else."""
    (folder / "index/torch").mkdir(parents=True)
    for wheel in wheels.glob("torch-*.whl"):
        (folder / "index/torch" / wheel.name).symlink_to(wheel)
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=folder / "index")
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


def lay_out(folder: Path) -> Path:
    """The folder of compose as its first lines say, but that the proxy listens to this machine alone."""
    deploy = folder / "docs/deploy"
    shutil.copytree(DEPLOY, deploy)
    said = (deploy / "compose.yaml").read_text()
    (deploy / "compose.yaml").write_text(said.replace('"80:80", "443:443"', '"127.0.0.1:80:80", "127.0.0.1:443:443"'))
    (deploy / ".env").write_text(f"KEYLINE_NAME={NAME}\nPOSTGRES_PASSWORD={secrets.token_hex(24)}\n")
    held = deploy / "certificates"
    held.mkdir()
    key = ("-newkey", "rsa:2048", "-nodes", "-keyout", str(held / "privkey.pem"), "-out", str(held / "fullchain.pem"))
    run("openssl", "req", "-x509", "-days", "2", "-subj", f"/CN={NAME}", "-addext", f"subjectAltName=DNS:{NAME}", *key)
    return deploy


def keyline(*words: str, typed: str | None = None) -> str:
    """What a command of Keyline prints, asked within its container."""
    return run("podman", "exec", "-i", "keyline_keyline_1", "python", "-m", "annotate", *words, typed=typed)


def wait_for_answer() -> str:
    """What /healthz says through the proxy, once it says that all is well. Raises TimeoutError."""
    ends = time.monotonic() + ANSWER_SECONDS
    ask = ("curl", "-sk", "--max-time", "8", "--resolve", f"{NAME}:443:127.0.0.1", f"https://{NAME}/healthz")
    while time.monotonic() < ends:
        answer = subprocess.run(ask, stdout=subprocess.PIPE, text=True, check=False).stdout
        if '"ok"' in answer:
            return answer
        time.sleep(1)
    raise TimeoutError(f"no answer within {ANSWER_SECONDS} s; podman logs keyline_keyline_1 says why")


def accept_the_first(page: Any) -> None:
    """Logs in, and accepts the first proposal of the first article."""
    page.goto(f"https://{NAME}/review")
    page.get_by_text("Log in with your password").click()
    log_in(page, "Ada")
    page.wait_for_selector(".reader[data-ready]")
    page.keyboard.press("a")
    page.wait_for_selector('.entry[data-verdict="accept"]')
    wait_until_saved(page)


def gold() -> str:
    """The gold as a CSV, exported within the container."""
    keyline("gold", "export", "/data/gold.csv")
    return run("podman", "exec", "keyline_keyline_1", "cat", "/data/gold.csv")


def use(deploy: Path, took: "Clock") -> dict[str, Any]:
    """The three services up, the main job done in them, its gold read again from new containers of the same volumes."""
    with took("services up"):
        run("podman-compose", "up", "--detach", folder=deploy)
        health = wait_for_answer()
    keyline("people", "add", "Ada", "--role", "admin", "--password-stdin", typed=f"{PASSWORD}\n")
    with took("sample"):
        keyline("sample")
    browsers = Browsers(flags=[*FLAGS, f"--host-resolver-rules=MAP {NAME} 127.0.0.1", "--ignore-certificate-errors"])
    with took("one sentence accepted in the browser"):
        accept_the_first(new_page(browsers.take(), f"https://{NAME}"))
    browsers.stop()
    kept = gold()
    with took("taken down, up again"):
        run("podman-compose", "down", folder=deploy)
        run("podman-compose", "up", "--detach", folder=deploy)
        wait_for_answer()
    assert "Ada" in kept and kept == gold(), "the verdict is not in the gold, or is lost with its container"
    return {"health": json.loads(health), "gold rows": len(kept.splitlines()) - 1}


class Clock:
    """Seconds by the clock, by step."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextmanager
    def __call__(self, step: str) -> Iterator[None]:
        """Times what is done within."""
        began = time.monotonic()
        yield
        self.seconds[step] = round(time.monotonic() - began, 1)


def build_all(folder: Path, of_debian: bool, wheels: Path | None, took: Clock) -> None:
    """The image of Keyline; `of_debian`: its base and the images of the other services, too."""
    arguments = {}
    if of_debian:
        with took("base"):
            make_base(folder)
        with took("stand-ins"):
            make_stand_ins(folder)
        arguments["BASE"] = BASE
    with ExitStack() as stack, took("image"):
        if wheels:
            arguments["TORCH_INDEX"] = stack.enter_context(index_of(wheels, folder))
        build("keyline", DEPLOY / "Containerfile", ROOT, **arguments)


def main() -> None:
    """Reads the options, does it all, prints what was seen, and takes the services away."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--debian", action="store_true")
    parser.add_argument("--torch", type=Path)
    parser.add_argument("--built", action="store_true")
    options = parser.parse_args()
    os.environ.setdefault("STORAGE_DRIVER", "vfs")  # the one that every kernel has
    took = Clock()
    with tempfile.TemporaryDirectory(dir="/var/tmp") as name:
        folder = Path(name)
        if not options.built:
            build_all(folder, options.debian, options.torch, took)
        deploy = lay_out(folder)
        try:
            seen = use(deploy, took)
        finally:
            run("podman-compose", "down", "--volumes", folder=deploy)
    size = json.loads(run("podman", "image", "inspect", "keyline"))[0]["Size"]
    print(json.dumps({"seconds": took.seconds, "image MB": size // 1_000_000, **seen}))


if __name__ == "__main__":
    main()
