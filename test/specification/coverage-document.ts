import type { Rule } from "./rule.ts";
import { parts } from "./rules.ts";

/** Writes the table of rules and where each is shown, as `docs/specification-coverage.md` holds it. */
export function coverageDocument(): string {
  const all: readonly Rule[] = parts.flatMap((part): readonly Rule[] => part.rules);
  const shown = all.filter(({ shownOn }) => shownOn.length > 0).length;
  const sections = parts.map(({ title, file, rules }, index) => {
    const rows = rules.map((rule) => rowOf(rule, file));
    return `## ${index + 1} ${title}\n\n| rule | in our words | shown on | test, or why there is none |\n| --- | --- | --- | --- |\n${rows.join("\n")}\n`;
  });
  return `${introduction(all.length, shown)}\n${sections.join("\n")}`;
}

function introduction(total: number, shown: number): string {
  return `# The specification, rule by rule

The service's specification has nine parts. Each numbered rule, each row of a table and each sentence that states a rule
has an id here, and a test whose title begins with it; or a line that says why no test can show it. Of ${total} rules ${shown} are
shown.

This table is made of \`test/specification/rules.ts\`; the tests of a part fail when one of its rules has none, and when
one names a rule that is not there. After a change: \`npx vitest run test/specification/coverage.test.ts -u\`.
`;
}

function rowOf({ id, text, shownOn, reason }: Rule, file: string): string {
  const place = shownOn.length === 2 ? "both" : (shownOn[0] ?? "–");
  return `| \`${id}\` | ${text} | ${place} | ${reason ?? `\`${file}\``} |`;
}
