import { type Line, lines } from "./lines.ts";
import { filesByLine } from "./titles.ts";

/** Writes the list of attacks and faults with their tests, as `docs/attacks.md` has it. */
export function attacksDocument(): string {
  const files = filesByLine();
  const table = (begin: string) => lines.filter(({ id }) => id.startsWith(begin)).map((line) => rowOf(line, files));
  const head = "| line | what must hold | tests |\n| --- | --- | --- |";
  return `# Attacks and faults

Each line is an invariant that has been broken elsewhere, in a product or a library for the same job. Titles of tests begin
with the line that they show: \`grep -rn '"L19' test\` finds the tests of L19.

This table is made of \`test/attacks/lines.ts\` and of the titles. A line without a test fails, and so does a title with
an unknown line. After a change: \`npx vitest run test/attacks -u\`.

## Login

${head}
${table("L").join("\n")}

## Webhooks

${head}
${table("W").join("\n")}
`;
}

function rowOf({ id, holds, notBuilt }: Line, files: ReadonlyMap<string, readonly string[]>): string {
  const links = (files.get(id) ?? []).map((file) => `[${nameOf(file)}](../${file})`);
  const missing = notBuilt === undefined ? [] : [`Not built yet: ${notBuilt}`];
  return `| ${id} | ${holds} | ${[links.join(", "), ...missing].filter(Boolean).join(". ")} |`;
}

function nameOf(file: string): string {
  return file
    .replace(/^packages\/(\w+)\/test\//, "$1/")
    .replace(/^test\//, "")
    .replace(/(\.test)?\.ts$/, "");
}
