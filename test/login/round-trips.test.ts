import { createMemoryStore } from "@doorcode/core";
import { createManualClock } from "@doorcode/core/testing";
import { describe, expect, test } from "vitest";
import { hosts } from "../support/hosts.ts";
import { setUpLogin } from "../support/login-bench.ts";
import { acts, limits } from "./acts.ts";
import { countTrips, follow } from "./trips.ts";

describe.each(hosts)("what a login on $name asks of the store", (host) => {
  test.each(acts)(
    "$what asks trip by trip, and each trip at once",
    async ({ codes, before, request, status, trips }) => {
      const counter = countTrips(createMemoryStore({ clock: createManualClock() }));
      const bench = await setUpLogin(host, { codes, store: counter.store, login: { limits } });
      const browser = await before(bench);
      const answer = await follow(counter, trips, () => request(browser, bench));
      expect(answer.status).toBe(status);
    },
  );
});

test.each([
  { what: "a start", trips: 2, statements: 3 },
  { what: "a wrong code of the service", trips: 3, statements: 6 },
  { what: "a wrong code of the app", trips: 3, statements: 6 },
  { what: "a right code of the service", trips: 5, statements: 10 },
  { what: "a right code of the app", trips: 5, statements: 10 },
  { what: "a guarded request", trips: 1, statements: 1 },
])("$what takes at most $trips trips and $statements statements", ({ what, trips, statements }) => {
  const act = acts.find((candidate) => candidate.what === what);
  expect(act?.trips.length).toBeLessThanOrEqual(trips);
  expect(act?.trips.flat().length).toBeLessThanOrEqual(statements);
});
