// The law of looks: what can be touched can be seen and reached, words stay on their buttons, nothing lies on another thing.
// A page that runs this has `looks`, whose functions give a list of what breaks it.

{
  const SLACK = 3; // pixels by which two things may lie on each other, for shadows and the tilt of a fan
  const named = (each) => `${each.className} ${each.ariaLabel ?? ""} ${each.textContent.trim()}`.slice(0, 80);
  const roots = () => [document, ...[...document.querySelectorAll("rules-table")].map((table) => table.shadowRoot)];
  const all = (some) => roots().flatMap((root) => [...root.querySelectorAll(some)]);
  const isSeen = (each) => each.checkVisibility({ visibilityProperty: true }) && each.getClientRects().length > 0;
  const table = () => document.querySelector("rules-table").shadowRoot;

  function under(x, y) {
    const top = document.elementFromPoint(x, y);
    return top?.shadowRoot ? top.shadowRoot.elementFromPoint(x, y) : top;
  }

  /** The part of a thing that can be touched: of a card in a fan, what the next one leaves free. */
  function free(each) {
    const { left, right, top, bottom } = each.getBoundingClientRect();
    const next = each.closest(".fan") && each.closest(".slot")?.nextElementSibling?.getBoundingClientRect();
    const isCovered = next && next.top < bottom && next.left > left;
    return { left, right: isCovered ? Math.min(right, next.left) : right, top, bottom };
  }

  /** Whether its middle and its corners, inside their rounding, can be touched now. */
  function isWhole(each) {
    const { left, right, top, bottom } = free(each);
    const radius = Math.min(Number.parseFloat(getComputedStyle(each).borderTopLeftRadius) || 0, (bottom - top) / 2);
    const tilt = each.closest(".arc") ? 0.25 : 0;
    const [x, y] = [right - left, bottom - top].map((size) => Math.max(3, radius * 0.35, size * tilt));
    const points = [
      [(left + right) / 2, (top + bottom) / 2],
      [left + x, top + y],
      [right - x, top + y],
      [left + x, bottom - y],
      [right - x, bottom - y],
    ];
    return points.every((point) => each.contains(under(...point)));
  }

  /** Where the words of an element stand, line by line. */
  function lines(each) {
    const range = document.createRange();
    const texts = document.createTreeWalker(each, NodeFilter.SHOW_TEXT);
    const found = [];
    while (texts.nextNode()) {
      if (getComputedStyle(texts.currentNode.parentElement).clipPath !== "none") continue; // for screen readers
      range.selectNodeContents(texts.currentNode);
      found.push(...range.getClientRects());
    }
    return found.filter(({ width, height }) => width > 1 && height > 1);
  }

  /** Whether words of a button stand outside it, or outside its rounded corners. */
  function bursts(button) {
    const box = button.getBoundingClientRect();
    const style = getComputedStyle(button);
    const radius = Math.min(Number.parseFloat(style.borderTopLeftRadius) || 0, box.height / 2, box.width / 2);
    const isOut = (x, y) => {
      const dx = Math.max(box.left + radius - x, x - box.right + radius, 0);
      const dy = Math.max(box.top + radius - y, y - box.bottom + radius, 0);
      return Math.hypot(dx, dy) > radius + 0.5;
    };
    return lines(button).some(({ left, right, top, bottom, height }) => {
      const [upper, lower] = [top + height * 0.15, bottom - height * 0.15]; // letters do not fill their line
      return isOut(left, upper) || isOut(right, upper) || isOut(left, lower) || isOut(right, lower);
    });
  }

  /** Words and what can be touched, each with its area; what is sticky lies on a layer of its own. */
  function areas(touched) {
    const isWords = (each) =>
      [...each.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim()) &&
      !each.closest("button, .card, svg, .told, .heard, #log, .unseen, .language span");
    const words = all("h1, h2, p, figcaption, span, li, b, summary").filter((each) => isSeen(each) && isWords(each));
    return [
      ...words.flatMap((each) => lines(each).map((box) => [each, box])),
      ...all(".card, .chips")
        .filter(isSeen)
        .map((each) => [each, free(each)]),
      ...touched.filter((each) => !each.matches(".card")).map((each) => [each, each.getBoundingClientRect()]),
    ]
      .filter(([each]) => getComputedStyle(each).clipPath === "none")
      .map(([each, box]) => ({
        each,
        box,
        layer: each.closest(".mine, .status, #away, header, #log"),
        fan: each.closest(".fan") ?? each,
      }));
  }

  function* overlaps(touched) {
    const placed = areas(touched);
    for (const [at, one] of placed.entries())
      for (const other of placed.slice(at + 1)) {
        if (one.layer !== other.layer || one.fan === other.fan) continue;
        const across = Math.min(one.box.right, other.box.right) - Math.max(one.box.left, other.box.left);
        const down = Math.min(one.box.bottom, other.box.bottom) - Math.max(one.box.top, other.box.top);
        if (across <= SLACK || down <= SLACK || one.each.contains(other.each) || other.each.contains(one.each))
          continue;
        yield `${named(one.each)} | ${named(other.each)}: overlap by ${Math.round(across)} x ${Math.round(down)}`;
      }
  }

  function law() {
    const touched = all("button:enabled, a[href], select, input, textarea, summary").filter(isSeen);
    const isReached = (each) =>
      ["nearest", "center"].some((block) => {
        if (isWhole(each)) return true;
        each.scrollIntoView({ block });
        return isWhole(each);
      });
    const hidden = touched.filter((each) => !isReached(each)).map((each) => `cannot be reached: ${named(each)}`);
    scrollTo(0, 0);
    const burst = touched
      .filter((each) => each.matches("button:not(.card, .said), a.button") && bursts(each))
      .map((each) => `words leave it: ${named(each)}`);
    const { scrollWidth, clientWidth } = document.documentElement;
    const hangs = scrollWidth > clientWidth ? [`hangs over the edge by ${scrollWidth - clientWidth}`] : [];
    return [...new Set([...hidden, ...burst, ...hangs, ...overlaps(touched)])];
  }

  /** The law as the page is, and with the first and with the last card of the own hand picked. */
  async function picked() {
    const wrong = law();
    const cards = [...table().querySelectorAll(".own button.card.live")].map((card) => card.dataset.key);
    for (const card of new Set([cards.at(0), cards.at(-1)])) {
      table().querySelector(`.own [data-key="${card}"]`)?.click();
      await new Promise((done) => requestAnimationFrame(done));
      wrong.push(...law().map((each) => `with ${card} picked, ${each}`));
    }
    return [...new Set(wrong)];
  }

  /** How many cards on the table are not seen whole until the page is scrolled, of how many. */
  function covered() {
    scrollTo(0, 0);
    const cards = [...table().querySelectorAll(".middle .row .card")];
    return [cards.filter((card) => !isWhole(card)).length, cards.length];
  }

  window.looks = { law, picked, covered };
}
