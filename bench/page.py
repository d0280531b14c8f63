"""Measures how soon a slow phone shows the first verdict: `python -m bench.page [other tree] [page]`.

Run it with the tests' Python. Chromium gets a quarter of this machine's CPU, 150 ms of latency, 400 kbit/s and an empty
cache. Times run from entering the address to the verdict and to the drawn cards. With another tree of the project
(`git worktree add`) both are measured by turns, and the ratio is printed.
"""

from __future__ import annotations

import shutil
import sys
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from typing import Any

from playwright.sync_api import Browser, sync_playwright

from tests.server import Server

TURNS = 7
SLOWER = 4
LATENCY = 150
"""Milliseconds."""
BYTES = 400e3 / 8
"""Bytes a second."""
WATCH = """() => {
    const times = (window.times = {});
    const seen = (name) => (times[name] ??= performance.now());
    document.addEventListener("drawn", ({ target }) => target.shadowRoot.querySelector(".card") && seen("cards"), true);
    new MutationObserver(() => document.querySelector("#verdict:is(.good, .doubt)") && seen("verdict"))
        .observe(document, { subtree: true, childList: true, attributes: true, attributeFilter: ["class"] });
}"""


def visited(browser: Browser, url: str) -> dict[str, float]:
    """The milliseconds to the verdict and to the cards on a first visit, and the bytes and requests it took."""
    context = browser.new_context(viewport={"width": 390, "height": 800})
    page = context.new_page()
    travelled: list[float] = []
    network = context.new_cdp_session(page)
    network.send("Network.enable")
    network.send(
        "Network.emulateNetworkConditions",
        {"offline": False, "latency": LATENCY, "downloadThroughput": BYTES, "uploadThroughput": BYTES},
    )
    network.send("Emulation.setCPUThrottlingRate", {"rate": SLOWER})
    page.add_init_script(f"({WATCH})()")
    page.goto(url, wait_until="commit")
    network.on("Network.loadingFinished", lambda done: travelled.append(done["encodedDataLength"]))
    page.wait_for_function("() => window.times?.verdict && window.times?.cards")
    times: dict[str, Any] = page.evaluate("window.times")
    context.close()
    return {**times, "bytes": sum(travelled), "requests": len(travelled)}


def main(trees: list[Path], page: str) -> None:
    """Measure the trees in turn and print the medians."""
    found: list[list[dict[str, float]]] = [[] for _ in trees]
    with ExitStack() as stack:
        playwright = stack.enter_context(sync_playwright())
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        stack.callback(browser.close)
        servers = [
            stack.enter_context(
                Server(settings={"REFEREE_WORKERS": "1", "PYTHONPATH": str(tree)}, before=("env", "-C", str(tree)))
            )
            for tree in trees
        ]
        for turn in range(TURNS + 1):
            for server, times in zip(servers, found, strict=True):
                times.append(visited(browser, f"http://127.0.0.1:{server.port}/{page}"))
                if not turn:
                    times.clear()  # the first visit fills the server's caches
    for tree, times in zip(trees, found, strict=True):
        print(tree.name, {name: round(median(each[name] for each in times)) for name in times[0]})
    for name in ("verdict", "cards"):
        ratios = [own[name] / other[name] for own, other in zip(found[0], found[-1], strict=True)]
        print(f"{name}: {median(ratios):.2f} of {trees[-1].name}'s, {min(ratios):.2f} to {max(ratios):.2f}")


if __name__ == "__main__":
    here = Path(__file__).parent.parent
    main([here, *map(Path, sys.argv[1:2])], *sys.argv[2:] or [""])
