import { describe, expect, test } from "vitest";
import { playFlappingStore } from "../attacks/programs/flapping-store.ts";
import { playOffice } from "../attacks/programs/office.ts";
import { openPlatforms } from "../support/platforms.ts";

const { pairwise } = await openPlatforms();

describe.each(pairwise)("on $name", (platform) => {
  test("L34: an office of 20 that tries five times each during an outage logs in with its right codes after it", async () => {
    const figures = await playOffice(platform, { people: 20, tries: 5 });
    expect(figures).toEqual({ asked: 100, loggedIn: 20, refusals: [] });
  });

  test("L36: a store that flaps at any call of a right code lets the service evaluate five codes at most", async () => {
    const { logins, maxEvaluated, maxCompleted } = await playFlappingStore(platform, { lengths: [1] });
    expect(logins).toBeGreaterThan(25);
    expect({ maxEvaluated, maxCompleted }).toEqual({ maxEvaluated: 5, maxCompleted: 1 });
  });
});
