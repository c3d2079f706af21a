import { needsRecipe } from "./jest/plan-jest.ts";
import type { Manifest } from "./manifest.ts";

/** How the tests of an app get the variables of the kit. */
export interface TestScript {
  /** The new command of the script `test`; undefined if it stays. */
  readonly command: string | undefined;
  readonly notes: readonly string[];
}

/** A command without the signs by which a shell runs several, and without variables of its own in front. */
const plainCommand = /^[\w@./-]+(?: [^&|;<>`$()]*)?$/;

/**
 * Writes the script that runs the tests of an app beside a sandbox, whose variables the kit needs at start: often tests load no `.env`, and
 * a continuous integration has none. Jest gets them by its configuration.
 */
export function testScript(manifest: Manifest): TestScript {
  const { test = "" } = manifest.scripts;
  const isReady = /env-file|dotenv|env-cmd|doorcode-sandbox|no test specified/.test(test);
  if (test === "" || isReady || needsRecipe(manifest)) return { command: undefined, notes: [] };
  if (plainCommand.test(test)) return { command: `doorcode-sandbox exec -- ${test}`, notes: [] };
  const note = `Tests that load your app need the variables of the kit: put "doorcode-sandbox exec --" before the command of the script test that runs them.`;
  return { command: undefined, notes: [note] };
}
