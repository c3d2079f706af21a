import { expect, test } from "vitest";
import { systemClock } from "../../src/util/clock.ts";
import { clockOption, parseOptions, strictOptions } from "../../src/util/parse-options.ts";

test("the default of the option clock is the machine's clock itself: timers in the background know it by that", () => {
  expect(parseOptions("createAnything", strictOptions({ clock: clockOption }), {}).clock).toBe(systemClock);
});
