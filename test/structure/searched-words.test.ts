import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root } from "./repository.ts";

const documents = globSync(["README.md", "docs/*.md", "packages/*/README.md", "packages/*/docs/*.md"], { cwd: root });

/** The headings and the rows of tables, without programs: where a search leads to an answer, also to "not supported". */
const answers = documents.flatMap((document) => {
  const text = readFileSync(join(root, document), "utf8").replaceAll(/^```[\s\S]*?^```$/gm, "");
  return text.split("\n").filter((line) => /^(?:#+ |\| )/.test(line));
});

test.each([
  "MySQL",
  "MongoDB",
  "Prisma",
  "Drizzle",
  "Knex",
  "Mongoose",
  "Lambda",
  "React Native",
  "rate limit",
  "helmet",
  "CORS",
  "CSRF",
  "2FA",
  "GDPR",
  "10DLC",
  "JWT",
])("who searches the documents for %s finds a heading or a row of a table", (word) => {
  const found = answers.filter((line) => new RegExp(`(?<!\\w)${word}`, "i").test(line));
  expect(found).not.toEqual([]);
});
