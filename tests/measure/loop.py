"""The sample from nothing to a promoted version, in a real browser: loading, retraining by the button, promoting.

python -m tests.measure.loop [--screenshots FOLDER]
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from tests.support.browser import ROOT, chromium, new_page, open_reader, serving, wait_for_run

PAGES = ("", "review", "import_articles", "gold", "retrain", "evaluate")
SIZES = ((1440, 900), (1024, 768))


def load_sample() -> None:
    """Times what `make run` does before it serves: import, labels, embeddings, proposals."""
    started = time.perf_counter()
    command = [sys.executable, "-m", "annotate", "sample", "--json"]
    done = subprocess.run(command, cwd=ROOT, env={**os.environ, "HF_HUB_OFFLINE": "1"}, capture_output=True, check=True)
    print(f"sample loaded in {time.perf_counter() - started:.1f} s:", done.stdout.decode().strip()[:200], "…")


def retrain(page: Any, url: str) -> None:
    """Presses the button, watches the job, promotes, and waits for the new proposals."""
    page.goto(f"{url}/retrain")
    wait_for_run(page)
    started = time.perf_counter()
    page.get_by_role("button", name="Retrain", exact=True).click()
    page.locator(".st-key-job_train").wait_for()
    seen: list[str] = []
    while page.locator(".st-key-job_train").count():
        text = " ".join(page.locator(".st-key-job_train").first.inner_text().split())
        if not seen or seen[-1] != text:
            seen.append(text)
        page.wait_for_timeout(300)
    page.get_by_role("button", name="Promote").wait_for(timeout=60_000)
    print(f"retrained and evaluated in {time.perf_counter() - started:.1f} s; progress lines seen: {len(seen)}, e.g.")
    for line in seen[:: max(1, len(seen) // 4)]:
        print("   ", line)
    wait_for_run(page)
    if page.get_by_text("Promote it anyway").count():
        print("the new version is worse or unknown: promoting needs the second confirmation")
        page.get_by_text("Promote it anyway").click()
        wait_for_run(page)
    started = time.perf_counter()
    page.get_by_role("button", name="Promote").click()
    page.get_by_role("button", name="Roll back").wait_for(timeout=60_000)
    page.locator(".st-key-job_propose").wait_for(state="detached", timeout=300_000)
    print(f"promoted and proposed anew in {time.perf_counter() - started:.1f} s")


def show_metrics() -> None:
    """Prints the stored test metrics of all versions."""
    import db.evaluation
    import db.registry
    from annotate.project.home import read

    with read() as session:
        for version in db.registry.encoders(session):
            for ranking in ("cosine", "hybrid"):
                if found := db.evaluation.latest_evaluation(session, version.id, ranking, "test"):
                    m = found.metrics
                    names = ("arp", "precision_at_1", "recall_at_5", "mse", "pearson")
                    shown = ", ".join(f"{name} {m[name]:.3f}" for name in names)
                    print(f"  {version.name}, {ranking}: {shown} ({m['articles']} articles)")


def screenshots(browser: Any, url: str, folder: Path) -> None:
    """Every page at both sizes."""
    folder.mkdir(parents=True, exist_ok=True)
    for width, height in SIZES:
        page = new_page(browser, url, "Anna", width=width, height=height)
        for name in PAGES:
            page.goto(f"{url}/{name}")
            wait_for_run(page)
            page.wait_for_timeout(1500)
            page.screenshot(path=folder / f"{name or 'articles'}_{width}.png", full_page=True)
        page.context.close()


def main() -> None:
    """Runs the loop on a data folder of its own."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--screenshots", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "keyline"
        os.environ["KEYLINE_HOME"] = str(home)
        load_sample()
        with serving(home) as server, chromium() as browser:
            page = new_page(browser, server.url, "Anna")
            open_reader(page, server.url, 10)
            retrain(page, server.url)
            show_metrics()
            reader = open_reader(page, server.url, 10)
            print("proposals of article 10 now:", reader.locator(".proposals .entry").count())
            page.goto(f"{server.url}/evaluate")
            page.get_by_role("button", name="Evaluate all versions").click()
            page.locator(".st-key-job_evaluate").wait_for(state="detached", timeout=120_000)
            if options.screenshots:
                screenshots(browser, server.url, options.screenshots)


if __name__ == "__main__":
    main()
