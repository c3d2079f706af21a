import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Result } from "axe-core";
import type { Page } from "playwright-core";

const source = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Ends what is under way, since a color that is still changing has no contrast to measure. */
const run = `(async () => {
  for (const animation of document.getAnimations()) if (animation instanceof CSSTransition) animation.finish();
  return (await axe.run({ resultTypes: ["violations"], selectors: false })).violations;
})()`;

/** Loads axe with every document of a page, for tests that check many: loading it afterwards takes three times as long. */
export async function loadAxe(page: Page): Promise<void> {
  await page.addInitScript({ content: source });
}

/** Returns the problems that axe finds, each with its first element. */
export async function violationsIn(page: Page): Promise<readonly string[]> {
  // Loading it takes longer than a check, and a document may be checked several times.
  if (await page.evaluate("!('axe' in window)")) await page.evaluate(source);
  const violations = await page.evaluate<Result[]>(run);
  return violations.map(({ id, nodes }) => `${id} at ${nodes[0]?.html}`);
}
