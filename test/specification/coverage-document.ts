import type { Rule } from "./rule.ts";
import { parts } from "./rules.ts";

/** Writes the list of rules that no test can show, as `docs/specification-coverage.md` holds it. */
export function coverageDocument(): string {
  const all: readonly Rule[] = parts.flatMap((part): readonly Rule[] => part.rules);
  const unshown = all.filter(({ reason }) => reason !== undefined);
  const rows = unshown.map(({ id, text, reason }) => `| \`${id}\` | ${text} | ${reason} |`);
  return `# The specification, rule by rule

The service's specification has nine parts. Each numbered rule, each row of a table and each sentence that states a rule has an id in
[\`test/specification/rules.ts\`](../test/specification/rules.ts), and a test that is registered under the id, or the
names of what else shows it: other rules, or lines of [attacks.md](attacks.md). Of ${all.length} rules ${all.length - unshown.length} are
shown. No test can show the others:

| rule | in our words | why |
| --- | --- | --- |
${rows.join("\n")}

The tests of a part fail when one of its rules has no test. After a change of this list: \`npx vitest run
test/specification/coverage.test.ts -u\`.
`;
}
