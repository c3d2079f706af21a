import { globSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { root, withPublishedLinks } from "./repository.ts";

const documents = globSync(["packages/*/README.md", "packages/*/docs/*.md"], { cwd: root });

// `vitest run test/structure/published-links.test.ts -u` makes the links absolute.
test.each(documents)("the links of %s work on a registry's page", async (document) => {
  const file = resolve(root, document);
  await expect(withPublishedLinks(document, readFileSync(file, "utf8"))).toMatchFileSnapshot(file);
});
