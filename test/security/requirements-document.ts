import { asvs } from "./asvs.ts";
import { nist } from "./nist.ts";
import type { Requirement, ShownBy, Verdict } from "./requirement.ts";

/** Writes the requirements of both standards, as `docs/security-requirements.md` has them. */
export function requirementsDocument(): string {
  const chapter = (number: string) => tableOf(asvs.filter(({ id }) => id.startsWith(`${number}.`)));
  return `# Requirements of security standards

What OWASP ASVS 5.0.0 and NIST SP 800-63B-4 require of a login by phone and of sessions, where the kit does it, and which test
shows it. Requirements are in our words: the [text of ASVS](https://github.com/OWASP/ASVS/tree/v5.0.0_release/5.0/en) and the
[text of NIST](https://pages.nist.gov/800-63-4/sp800-63b.html) decide. This table is no audit. [SECURITY.md](../SECURITY.md)
has the threats behind it.

| verdict | ASVS | NIST |
| --- | --- | --- |
${verdicts.map(countsOf).join("\n")}

"Met" means by the kit, with its defaults. For "the app's" the last columns show what the kit gives the app for that. \`%s\` and
\`$name\` in the title of a test stand for its cases.

The table is made of \`test/security/asvs.ts\` and \`test/security/nist.ts\`. A file or a title that does not exist fails, and so does a
requirement of V6 or V7 that is missing. After a change: \`npx vitest run test/security -u\`.

## ASVS V6: authentication

${chapter("6")}
## ASVS V7: sessions

${chapter("7")}
## ASVS V3: cookies, and the origin of requests

Only the requirements to which V7 leads.

${chapter("3")}
## NIST SP 800-63B-4

The sections about codes by phone, limits of attempts, sessions, and proving again. NIST numbers sections; the letters are ours.

${tableOf(nist)}`;
}

const verdicts: readonly Verdict[] = ["met", "partly met", "the app's", "the service's", "does not apply", "not met"];

function countsOf(verdict: Verdict): string {
  const [ofAsvs, ofNist] = [asvs, nist].map((list) => list.filter((requirement) => requirement.verdict === verdict));
  return `| ${verdict} | ${ofAsvs?.length} | ${ofNist?.length} |`;
}

function tableOf(requirements: readonly Requirement[]): string {
  const head = "| number | level | requirement | verdict | where | shown by |\n| --- | --- | --- | --- | --- | --- |";
  return `${[head, ...requirements.map(rowOf)].join("\n")}\n`;
}

function rowOf({ id, level, text, verdict, reason, places, tests }: Requirement): string {
  const said = reason === undefined ? verdict : `${verdict}. ${reason}`;
  const cells = [id, level, text, said, places.map(linkTo).join(", "), tests.map(linkToTest).join("; ")];
  return `| ${cells.join(" | ")} |`;
}

/** Returns the path of a place: of a document, or of a source file of core. */
export function pathOf(place: string): string {
  return place.endsWith(".md") ? place : `packages/core/src/${place}`;
}

function linkTo(place: string): string {
  return `[${place.replace(/\.ts$/, "")}](../${pathOf(place)})`;
}

function linkToTest({ file, title }: ShownBy): string {
  return `[${title}](../${file})`;
}
