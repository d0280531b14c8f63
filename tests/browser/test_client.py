"""`clients/typescript` in a page."""

from pathlib import Path

from playwright.sync_api import Page, Route

from tests.clients.compiled import compile_package, needs_compiler

PLAYS = """async () => {
    const { IllegalMove, Referee } = await import("/client/index.js");
    const { host, seats } = await new Referee("/").twins.open({ game: "twins", seats: 3 });
    const refused = await host.move({ type: "buy", seat: 1, count: 0 }).catch((error) => error instanceof IllegalMove);
    await host.move({ type: "buy", seat: 0, count: 0 });
    const codes = [];
    for await (const entry of seats[1].events()) {
        codes.push(...entry.events.map((event) => event.code));
        if (entry.version === 1) await host.move({ type: "buy", seat: 1, count: 0 });
        else break;
    }
    return [refused, codes];
}"""


@needs_compiler
def test_a_page_plays_and_follows_by_the_client(page: Page, tmp_path: Path) -> None:
    """The page loads the compiled client from paths that this test answers."""
    compile_package(tmp_path)

    def give(route: Route) -> None:
        name = route.request.url.rpartition("/")[2]
        route.fulfill(path=tmp_path / name, content_type="text/javascript")

    page.route("**/client/*.js", give)
    page.goto("/")
    assert page.evaluate(PLAYS) == [True, ["bought", "bought"]]
