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

/** Returns the problems that axe finds, each with its first element. */
export async function violationsIn(page: Page): Promise<readonly string[]> {
  // Loading it takes longer than a check, and a page may be checked several times.
  if (await page.evaluate("!('axe' in window)")) await page.evaluate(source);
  const violations = await page.evaluate<Result[]>(run);
  return violations.map(({ id, nodes }) => `${id} at ${nodes[0]?.html}`);
}
