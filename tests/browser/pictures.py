"""Pictures of every game's table: `make pictures` takes them anew, `make pictures-check` compares all with those kept.

They are taken in a font of their own (pictured.woff2: some signs of DejaVu Sans 2.37, dejavu-fonts.github.io), for
texts of other widths would move all else. Two pictures are compared in coarse cells, each with what lies within one
cell of its place in the other, and what counts is the square of cells that differs most: so it hardly matters how edges
are smoothed, and a card that is not there does.
"""

import base64
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from playwright.sync_api import Browser, Page, expect, sync_playwright

import engines
from tests.browser import chromium
from tests.server import ROOT, Server

FOLDER = ROOT / "docs" / "pictures"
QUALITY = 82  #: Of WebP; more of it cannot be seen on tables.
TOLERANCE = 12.0
"""Of 255. Another version of Chromium stays well below, a table without one of its cards comes to 18 at least."""
USE_PICTURED_FONT = """async (bytes) => {
    const font = new FontFace("Pictured", Uint8Array.from(atob(bytes), (sign) => sign.charCodeAt(0)));
    document.fonts.add(await font.load());
    const sheet = new CSSStyleSheet();
    sheet.replaceSync("* { font-family: Pictured !important }");
    document.querySelector("rules-table").shadowRoot.adoptedStyleSheets.push(sheet);
    await document.fonts.ready;
}"""

DIFFERENCE = """async (pictures) => {
    const CELL = 8, SQUARE = 4;
    const coarse = async (picture) => {
        const bytes = Uint8Array.from(atob(picture), (sign) => sign.charCodeAt(0));
        const whole = await createImageBitmap(new Blob([bytes], { type: "image/webp" }));
        const [width, height] = [Math.floor(whole.width / CELL), Math.floor(whole.height / CELL)];
        const pen = new OffscreenCanvas(whole.width, whole.height).getContext("2d");
        pen.drawImage(whole, 0, 0);
        const dots = pen.getImageData(0, 0, whole.width, whole.height).data;
        const cells = new Float32Array(width * height * 3);
        for (let y = 0; y < height * CELL; y++) for (let x = 0; x < width * CELL; x++) {
            const cell = (Math.floor(y / CELL) * width + Math.floor(x / CELL)) * 3;
            for (const ink of [0, 1, 2]) cells[cell + ink] += dots[(y * whole.width + x) * 4 + ink] / CELL / CELL;
        }
        return { width, height, cells };
    };
    const [one, other] = await Promise.all(pictures.map(coarse));
    if (one.width !== other.width || Math.abs(one.height - other.height) > 4) return 255;
    const [width, height] = [one.width, Math.min(one.height, other.height)];
    const ink = (picture, cell) => [...picture.cells.subarray(cell * 3, cell * 3 + 3)];
    const apart = (at, to) => Math.max(...ink(one, at).map((each, sort) => Math.abs(each - ink(other, to)[sort])));
    const differ = (x, y) => {
        let least = 255;
        for (let dy = -1; dy <= 1; dy++) for (let dx = -1; dx <= 1; dx++) {
            if (x + dx < 0 || x + dx >= width || y + dy < 0 || y + dy >= height) continue;
            least = Math.min(least, apart(y * width + x, (y + dy) * width + x + dx));
        }
        return least;
    };
    const differs = Array.from({ length: height }, (_, y) => Array.from({ length: width }, (_, x) => differ(x, y)));
    let most = 0;
    for (let y = 0; y + SQUARE <= height; y++) for (let x = 0; x + SQUARE <= width; x++) {
        let sum = 0;
        for (const row of differs.slice(y, y + SQUARE)) for (const cell of row.slice(x, x + SQUARE)) sum += cell;
        most = Math.max(most, sum / SQUARE / SQUARE);
    }
    return most;
}"""


class Shot(NamedTuple):
    """A picture: which game's table, on how wide a page, in which colours."""

    game: str
    width: int
    scheme: Any

    @property
    def file(self) -> Path:
        return FOLDER / f"{self.game}-{self.width}-{self.scheme}.webp"


SHOTS = [
    Shot(game, width, scheme)
    for game in engines.registry()
    for width in (390, 768, 1440)
    for scheme in ("light", "dark")
]


def show_example(page: Page, shot: Shot) -> None:
    """Open a game's first example, which the page chooses, with nothing in motion and in the font of the pictures."""
    page.emulate_media(color_scheme=shot.scheme, reduced_motion="reduce")
    page.set_viewport_size({"width": shot.width, "height": 1000})
    page.goto(f"/#game={shot.game}&language=en")
    expect(page.locator("main:not([aria-busy])")).to_be_attached()
    page.evaluate(USE_PICTURED_FONT, base64.b64encode(Path(__file__).with_name("pictured.woff2").read_bytes()).decode())


def take_picture(page: Page) -> bytes:
    """A picture of the table that is shown, as WebP."""
    page.evaluate("scrollTo(0, 0)")
    box = page.locator("rules-table").bounding_box()
    assert box is not None
    how = {"format": "webp", "quality": QUALITY, "captureBeyondViewport": True, "clip": {**box, "scale": 1}}
    return base64.b64decode(page.context.new_cdp_session(page).send("Page.captureScreenshot", how)["data"])


def difference(page: Page, one: bytes, other: bytes) -> float:
    """How far two pictures are apart, from 0 to 255. `page`: one that may load anything."""
    return float(page.evaluate(DIFFERENCE, [base64.b64encode(each).decode() for each in (one, other)]))


@contextmanager
def started_browser() -> Iterator[tuple[Browser, str]]:
    """A browser, and the address of a server that was started for it."""
    with Server(settings={"REFEREE_WORKERS": "1"}) as server, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium.EXECUTABLE, args=chromium.ARGUMENTS)
        yield browser, f"http://127.0.0.1:{server.port}"
        browser.close()


def main(check: bool) -> int:
    """Takes all pictures, or, to check them, compares what would be taken; the number that differ."""
    differing = 0
    with started_browser() as (browser, address):
        comparing_page = browser.new_page()
        for shot in SHOTS:
            page = browser.new_page(base_url=address)
            show_example(page, shot)
            picture = take_picture(page)
            page.close()
            if check:
                apart = difference(comparing_page, shot.file.read_bytes(), picture)
                differing += apart > TOLERANCE
                print(f"{shot.file.name}: {apart:.1f}")
            else:
                shot.file.parent.mkdir(exist_ok=True)
                shot.file.write_bytes(picture)
                print(f"{shot.file.name}: {len(picture)} bytes")
    return differing


if __name__ == "__main__":
    sys.exit(min(1, main("--check" in sys.argv)))
