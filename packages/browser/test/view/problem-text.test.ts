import { de, en } from "@doorcode/browser/element";
import { describe, expect, test } from "vitest";
import { errorCodes } from "../../../core/src/util/errors.ts";
import { problemText } from "../../src/view/problem-text.ts";
import type { LiveView, ShownProblem, View } from "../../src/view/view.ts";

const now = new Date(2026, 4, 1, 12, 0).getTime();
const live = { country: "AT" } as LiveView;
const view: View = {
  state: undefined,
  offer: {
    countries: [
      { country: "DE", callingCode: "49", example: "01512 3456789" },
      { country: "AT", callingCode: "43", example: "0664 123456" },
    ],
    codeLength: 6,
  },
  purpose: "login",
  basePath: "/login",
  language: "en",
  strings: en,
  next: undefined,
  form: undefined,
  consent: undefined,
  problem: undefined,
  challenge: "",
  now,
  live: undefined,
};

/** The codes of core that no browser at a login page can get, and why. */
const unseen: Readonly<Record<string, string>> = {
  last_way_in: "answers a form of the app, which has the title of the code",
  phone_unknown: "answers a form of the app",
  removal_busy: "answers a form of the app",
  removal_unfinished: "answers a form of the app",
  proof_invalid: "answers the app's server",
  proof_foreign: "answers the app's server",
  proof_expired: "answers the app's server",
  transport_not_allowed: "answers a client that asks for tokens",
  signature_invalid: "answers a webhook",
  handler_failed: "answers a webhook",
  handler_unfinished: "answers a webhook",
  service_unauthorized: "a browser gets send_failed or service_unavailable",
  service_invalid_request: "a browser gets send_failed or service_unavailable",
  service_not_found: "a browser gets send_failed or service_unavailable",
  service_unreadable: "a browser gets send_failed or service_unavailable",
  sender_not_registered: "a browser gets send_failed or service_unavailable",
  "verify.invalid_code": "a browser gets code_rejected",
  "verify.expired": "a browser gets code_expired",
  "verify.max_attempts_reached": "a browser gets attempts_exhausted",
};

/** The codes for which "that did not work" is all that a person can be told. */
const unexplained = [
  "host_not_allowed",
  "not_found",
  "method_not_allowed",
  "media_type_unsupported",
  "body_malformed",
  "body_too_large",
  "body_too_slow",
  "body_already_read",
  "session_too_large",
  "store_unavailable",
  "answer_unreadable",
];

const codes = [...errorCodes.filter((code) => !(code in unseen)), "network_failed", "answer_unreadable"];
const textOf = (problem: object, more: Partial<View> = {}) =>
  problemText({ ...view, ...more }, problem as ShownProblem);

describe.each([
  ["English", en],
  ["German", de],
])("in %s", (_, strings) => {
  test("T14: every code that a browser may see has words, and each of the others is named here", () => {
    const withoutWords = codes.filter((code) => textOf({ code }, { strings }) === strings.problems.other);
    expect(withoutWords.sort()).toEqual([...unexplained].sort());
  });

  test("any other code has words too", () => {
    expect(textOf({ code: "made_up" }, { strings })).toBe(strings.problems.other);
    expect(textOf({ code: "constructor" }, { strings })).toBe(strings.problems.other);
  });
});

test("T14: an invalid number is answered with an example of the chosen country, which reads from left to right", () => {
  const text = "Enter a valid phone number, for example";
  expect(textOf({ code: "phone_invalid" })).toBe(`${text} \u206601512 3456789\u2069.`);
  expect(textOf({ code: "phone_invalid" }, { live })).toBe(`${text} \u20660664 123456\u2069.`);
});

test("T15: a refused country is answered with those that are accepted", () => {
  const text = "Phone numbers of this country are not accepted. Accepted: Germany and Austria.";
  expect(textOf({ code: "country_not_allowed" })).toBe(text);
});

test("L18: a code that the service could not check is answered with the attempts that are left", () => {
  const text = "Codes cannot be sent or checked now. Please try again in a moment. You have 3 attempts left.";
  expect(textOf({ code: "service_unavailable", attemptsLeft: 3 })).toBe(text);
  expect(textOf({ code: "service_rate_limited", attemptsLeft: 3 })).toBe(text);
});

describe("the next try", () => {
  const cooldown = (seconds: number) => ({ code: "cooldown", retryAt: now + seconds * 1000 });

  test("is told in seconds when it is near, but by a script, which counts down beside the button", () => {
    expect(textOf(cooldown(30))).toBe("A code was sent a moment ago. Try again in 30 seconds.");
    expect(textOf(cooldown(1), { strings: de, language: "de" })).toContain("in 1 Sekunde");
    expect(textOf(cooldown(30), { live })).toBe("A code was sent a moment ago.");
  });

  test("is told in the time of the person's own clock otherwise", () => {
    expect(textOf(cooldown(17 * 60 + 1), { live })).toMatch(/Try again at 12:18\sPM\.$/);
    expect(textOf(cooldown(17 * 60 + 1), { live, strings: de, language: "de" })).toMatch(/um 12:18 noch einmal\.$/);
  });

  test("has its day when that is another one", () => {
    expect(textOf(cooldown(20 * 3600), { live })).toContain("May 2, 2026");
    // The minute that is shown is the first one of that day.
    expect(textOf(cooldown(12 * 3600 - 30), { live })).toContain("May 2, 2026");
  });

  test("is a while where the person's clock is not known", () => {
    expect(textOf(cooldown(17 * 60 + 1))).toContain("Try again in 18 minutes.");
    expect(textOf(cooldown(3 * 3600))).toContain("Try again in 3 hours.");
  });
});
