import { describe, expect, test } from "vitest";
import { type Host, hosts } from "../support/hosts.ts";
import type { Place, Rule } from "./rule.ts";
import { type PartNumber, parts, type RuleId } from "./rules.ts";

/** Registers tests under the rules they show. Each test must make an assertion. */
export interface Show {
  /** Shows on the sandbox what the service does. */
  sandbox(id: RuleId, run: () => Promise<void>): void;
  /** Shows it on the kit. */
  kit(id: RuleId, run: () => Promise<void>): void;
  /** Shows it on the kit in a real app, on every framework. */
  kitOnHosts(id: RuleId, run: (host: Host) => Promise<void>): void;
}

/**
 * Describes a part of the specification: what is registered must be exactly what the inventory says of the part, nothing
 * missing, unknown or twice. So the table made of the inventory lists nothing that does not run.
 */
export function describePart(number: PartNumber, register: (show: Show) => void): void {
  const { title, rules } = partOf(number);
  const registered: string[] = [];
  const note = (id: RuleId, place: Place) => {
    registered.push(`${id} on the ${place}`);
    return `[${id}] ${rules.find((rule) => rule.id === id)?.text ?? "?"}`;
  };
  const asserting = (run: () => Promise<void>) => async () => {
    expect.hasAssertions();
    await run();
  };

  describe(`${number} ${title}`, () => {
    register({
      sandbox: (id, run) => test(`${note(id, "sandbox")} (sandbox)`, asserting(run)),
      kit: (id, run) => test(`${note(id, "kit")} (kit)`, asserting(run)),
      kitOnHosts(id, run) {
        const name = note(id, "kit");
        for (const host of hosts)
          test(
            `${name} (kit on ${host.name})`,
            asserting(() => run(host)),
          );
      },
    });
    test("every rule of this part has its tests, and every test a rule", () => {
      const wanted = rules.flatMap(({ id, shownOn }) => shownOn.map((place) => `${id} on the ${place}`));
      expect(registered.toSorted()).toEqual(wanted.toSorted());
    });
  });
}

function partOf(number: PartNumber): { readonly title: string; readonly rules: readonly Rule[] } {
  const part = parts[number - 1];
  if (!part) throw new Error("There is no such part.");
  return part;
}
