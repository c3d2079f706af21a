import { inspect } from "node:util";
import { expect, onTestFinished, vi } from "vitest";
import { type LoginSetup, password, phone } from "../support/login-setup.ts";

/** Hears what a process says from now on. */
interface Listener {
  /** @throws when a number, a code, a key or a secret was in anything that was said or published. */
  expectSilence(bench: Pick<LoginSetup, "service" | "events">): void;
}

const secrets = ["key_of_the_tests", "whk_of_the_tests", password, phone.slice(1)];

/** Listens to the console, the output and the warnings of the process, until the test is over. */
export function listen(): Listener {
  const spoken: unknown[] = [];
  const note = (...said: readonly unknown[]) => {
    spoken.push(...said);
    return true;
  };
  const spies = [
    vi.spyOn(process.stdout, "write").mockImplementation(note),
    vi.spyOn(process.stderr, "write").mockImplementation(note),
    ...(["log", "info", "warn", "error"] as const).map((level) => vi.spyOn(console, level).mockImplementation(note)),
  ];
  process.on("warning", note);
  onTestFinished(() => {
    for (const spy of spies) spy.mockRestore();
    process.off("warning", note);
  });

  return {
    expectSilence({ service, events }) {
      const everything = { depth: null, showHidden: true, maxArrayLength: null, maxStringLength: null };
      const text = inspect([spoken, events], everything);
      expect(events.length).toBeGreaterThan(0);
      const numbers = service.created.map(({ recipient }) => recipient.slice(1));
      const codes = [service.code, ...service.created.flatMap(({ custom_otp = [] }) => custom_otp)];
      const told = [...secrets, ...numbers].filter((word) => text.includes(word));
      // Six digits stand within identifiers by chance, but not alone.
      const toldCodes = codes.filter((code) => new RegExp(`(?<![\\w-])${code}(?![\\w-])`).test(text));
      expect([...told, ...toldCodes]).toEqual([]);
    },
  };
}
