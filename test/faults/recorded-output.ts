import { inspect } from "node:util";
import { expect, onTestFinished, vi } from "vitest";
import { type LoginSetup, password, phone } from "../support/login-setup.ts";

/** The output of the process since {@link recordOutput}. */
export interface RecordedOutput {
  /** @throws when the output or an event contains a number, a code, a key or a secret. */
  expectNoSecrets(app: Pick<LoginSetup, "service" | "events">): void;
}

const secrets = ["key_of_the_tests", "whk_of_the_tests", password, phone.slice(1)];

/** Records the console, the output and the warnings of the process, until the test is over. */
export function recordOutput(): RecordedOutput {
  const recorded: unknown[] = [];
  const record = (...output: readonly unknown[]) => {
    recorded.push(...output);
    return true;
  };
  const spies = [
    vi.spyOn(process.stdout, "write").mockImplementation(record),
    vi.spyOn(process.stderr, "write").mockImplementation(record),
    ...(["log", "info", "warn", "error"] as const).map((level) => vi.spyOn(console, level).mockImplementation(record)),
  ];
  process.on("warning", record);
  onTestFinished(() => {
    for (const spy of spies) spy.mockRestore();
    process.off("warning", record);
  });

  return {
    expectNoSecrets({ service, events }) {
      const everything = { depth: null, showHidden: true, maxArrayLength: null, maxStringLength: null };
      const text = inspect([recorded, events], everything);
      expect(events.length).toBeGreaterThan(0);
      const numbers = service.created.map(({ recipient }) => recipient.slice(1));
      const codes = [service.code, ...service.created.flatMap(({ custom_otp = [] }) => custom_otp)];
      const found = [...secrets, ...numbers].filter((word) => text.includes(word));
      // Six digits may be part of an identifier by chance, but they do not stand alone.
      const foundCodes = codes.filter((code) => new RegExp(`(?<![\\w-])${code}(?![\\w-])`).test(text));
      expect([...found, ...foundCodes]).toEqual([]);
    },
  };
}
