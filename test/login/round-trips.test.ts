import { createMemoryStore } from "@doorcode/core";
import { createManualClock } from "@doorcode/core/testing";
import { describe, expect, test } from "vitest";
import { hosts } from "../support/hosts.ts";
import { setUpLogin } from "../support/login-setup.ts";
import { limits, loginRequests } from "./login-requests.ts";
import { countTrips, expectTrips } from "./trip-counter.ts";

describe.each(hosts)("the round trips of a login to the store, on $name", (host) => {
  test.each(loginRequests)(
    "$what makes all calls of a trip at once",
    async ({ codes, prepare, request, status, trips }) => {
      const counter = countTrips(createMemoryStore({ clock: createManualClock() }));
      const login = await setUpLogin(host, { codes, store: counter.store, login: { limits } });
      const browser = await prepare(login);
      const answer = await expectTrips(counter, trips, () => request(browser, login));
      expect(answer.status).toBe(status);
    },
  );
});

test.each([
  { what: "a start", trips: 2, statements: 3 },
  { what: "a wrong code of the service", trips: 3, statements: 6 },
  { what: "a wrong code of the app", trips: 3, statements: 6 },
  { what: "a right code of the service", trips: 8, statements: 14 },
  { what: "a right code of the app", trips: 7, statements: 14 },
  { what: "a guarded request", trips: 1, statements: 1 },
])("$what takes at most $trips trips and $statements statements", ({ what, trips, statements }) => {
  const request = loginRequests.find((candidate) => candidate.what === what);
  expect(request?.trips.length).toBeLessThanOrEqual(trips);
  expect(request?.trips.flat().length).toBeLessThanOrEqual(statements);
});
