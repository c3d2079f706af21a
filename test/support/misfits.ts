import type { Page } from "playwright-core";

/**
 * Names what is wider than the box that it stands in, and what reaches beyond the window: boxes, and lines of text. A block of code, a row of tabs or sections and a table
 * scroll by themselves, a text that is cut has an ellipsis, and what is placed over its box may stand out of it.
 */
export function misfitsOf(page: Page): Promise<readonly string[]> {
  return page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement;
    const found = scrollWidth > clientWidth ? [`the page: ${scrollWidth} in ${clientWidth}`] : [];

    function check(name: string, inner: DOMRect, outer: { readonly left: number; readonly right: number }): void {
      const [left, right] = [inner.left - outer.left, outer.right - inner.right].map(Math.round);
      if (Number(left) < -1 || Number(right) < -1)
        found.push(`${name}: ${left} px on the left, ${right} px on the right`);
    }

    function look(box: Element): void {
      const style = getComputedStyle(box);
      // Only a screen reader finds what is clipped to a point. Inside a drawing there is no layout.
      const isSeen = box.checkVisibility() && style.clipPath === "none" && box.closest("svg") === null;
      if (!isSeen || /hidden|clip/.test(style.overflowX) || box.matches("pre, .tabs, .table, .sidebar nav ul")) return;
      const outer = box.getBoundingClientRect();
      const name = `<${box.localName} class="${box.getAttribute("class") ?? ""}">`;
      for (const node of box.childNodes) {
        if (node instanceof Text) {
          const range = document.createRange();
          range.selectNodeContents(node);
          // A space at the end of a line hangs out of its box.
          const isSpace = ({ width }: DOMRect) => width < Number.parseFloat(style.fontSize) / 2;
          const lines = style.display === "inline" ? [] : [...range.getClientRects()].filter((line) => !isSpace(line));
          for (const line of lines) check(`${name} ${node.data}`, line, outer);
        } else if (node instanceof Element && node.checkVisibility()) {
          const { position, marginLeft, marginRight, clipPath, display } = getComputedStyle(node);
          const isOver =
            /absolute|fixed/.test(position) || Number.parseFloat(marginLeft) < 0 || Number.parseFloat(marginRight) < 0;
          const inner = node.getBoundingClientRect();
          const what = `${name} <${node.localName} class="${node.getAttribute("class") ?? ""}"> ${node.textContent?.trim().slice(0, 30)}`;
          if (clipPath === "none") check(`in the window: ${what}`, inner, { left: 0, right: clientWidth });
          if (!isOver && display !== "contents" && clipPath === "none") check(what, inner, outer);
          look(node);
        }
      }
    }
    look(document.body);
    return found;
  });
}

/** Names the buttons, and links that look like one, whose text is higher or wider than they are. */
export function cutButtonsOf(page: Page): Promise<readonly string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll("button, .button")].flatMap((button) => {
      const { scrollWidth, clientWidth, scrollHeight, clientHeight } = button;
      const isCut = scrollWidth > clientWidth + 1 || scrollHeight > clientHeight + 1;
      return button.checkVisibility() && isCut ? [`cut: ${button.textContent?.trim()}`] : [];
    }),
  );
}

/** Names each text that is smaller than 12 px. */
export function smallTextsOf(page: Page): Promise<readonly string[]> {
  return page.evaluate(() => {
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const found: string[] = [];
    for (let node = texts.nextNode(); node; node = texts.nextNode()) {
      const box = node.parentElement;
      if (!box || node.textContent?.trim() === "" || !box.checkVisibility()) continue;
      const size = Number.parseFloat(getComputedStyle(box).fontSize);
      if (size < 12) found.push(`${size} px: ${node.textContent}`);
    }
    return found;
  });
}
