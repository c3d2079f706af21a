import { createMemoryStore, type LoginLimits } from "@doorcode/core";
import { createManualClock } from "@doorcode/core/testing";
import { expect, test } from "vitest";
import { addressFailureBudgets, failureBudgets } from "../../src/limits/counter-table.ts";
import { createCounters, reserve } from "../../src/limits/counters.ts";
import { loginLimitsShape } from "../../src/limits/login-limits.ts";
import { createOperatorLimits } from "../../src/limits/operator-limits.ts";
import { giveBackCode, reserveCode } from "../../src/limits/send-limits.ts";

const limits: LoginLimits = { ...loginLimitsShape.parse({ cooldownSeconds: [] }), mode: "enforce" };

function setUp() {
  const clock = createManualClock();
  const store = createMemoryStore({ clock });
  const keys = { fingerprint: (text: string) => `fingerprint of ${text}` };
  const deps = { name: "app", store, counters: createCounters({ store, clock }), clock, keys, limits };
  const operator = createOperatorLimits({ ...deps, minDigits: 6, lengthensCodes: false });

  async function ask(phone: string, address: string): Promise<string> {
    // Several countries, so that none is on alert.
    const country = phone.startsWith("+49151") ? "DE" : `country ${phone.slice(3, 7)}`;
    const reserved = await reserveCode(deps, { phone, country, client: { address, network: `${address}/24` } });
    if (!reserved.refused) return "sent";
    await giveBackCode(deps, reserved);
    return reserved.refused.error.code;
  }
  /** Asks for so many codes of a block, each from an address of its own. */
  async function askBlock(block: string, times: number): Promise<string[]> {
    const answers = [];
    for (let index = 0; index < times; index++) {
      answers.push(await ask(block + String(index).padStart(4, "0"), `198.51.${block.at(-1)}.${index}`));
    }
    return answers;
  }
  return { clock, operator, ask, askBlock, deps };
}

test("the closed groups are listed, with the address in plain text, until they open by themselves", async () => {
  const { clock, operator, ask, askBlock } = setUp();
  expect(await operator.state()).toEqual([]);
  await askBlock("+4915123", 8);
  for (let index = 0; index < 21; index++) await ask(`+49${2000 + index}000001`, "203.0.113.7");
  await clock.advance(60_000);

  expect(await operator.state()).toEqual([
    { kind: "address", value: "203.0.113.7", secondsLeft: 3540 },
    { kind: "block", value: "+4915123", secondsLeft: 3540 },
  ]);
  await clock.advance(3_540_000);
  expect(await operator.state()).toEqual([]);
});

test("an operator opens a block, an address or a network, as if it had never been closed", async () => {
  const { operator, ask, askBlock } = setUp();
  await askBlock("+4915123", 8);
  for (let index = 0; index < 21; index++) await ask(`+49${2000 + index}000001`, "203.0.113.7");
  await operator.open("block", "+4915123");
  await operator.open("address", "203.0.113.7");

  expect(await operator.state()).toEqual([]);
  expect(await ask("+4917799000001", "203.0.113.7")).toBe("sent");
  // Four, more than the half that opens after a closing.
  const again = await Promise.all([50, 51, 52, 53].map((index) => ask(`+491512300${index}`, `192.0.2.${index}`)));
  expect(again).toEqual(Array(4).fill("sent"));
});

test("opening tells whether anything was closed or counted there, so that a misspelled value is noticed", async () => {
  const { operator, ask } = setUp();
  await ask("+49151230001", "203.0.113.7");
  expect(await operator.open("block", "+49 15123")).toBe(false);
  expect(await operator.open("address", "203.0.113.8")).toBe(false);
  expect(await operator.open("phone", "+49151230002")).toBe(false);
  expect(await operator.open("block", "+4915123")).toBe(true);
  expect(await operator.open("block", "+4915123")).toBe(false);
  expect(await operator.open("address", "203.0.113.7")).toBe(true);
  expect(await operator.open("phone", "+49151230001")).toBe(true);
});

test("a block that was closed several times is listed once", async () => {
  const { clock, operator, askBlock } = setUp();
  await askBlock("+4915123", 8);
  await clock.advance(3_600_000);
  await askBlock("+4915123", 8);
  expect(await operator.state()).toMatchObject([{ kind: "block", value: "+4915123", secondsLeft: 6 * 3600 }]);
});

test.each([undefined, "other"] as const)(
  "an operator opens an address from which too many wrong codes have come, to strangers and to devices (%s)",
  async (knownDevice) => {
    const { operator, deps } = setUp();
    const shares = addressFailureBudgets(deps, "fingerprint of 203.0.113.7", knownDevice);
    const fail = () => reserve(deps.store, shares);
    for (let code = 0; code < 100; code++) await fail();
    await expect(fail()).rejects.toMatchObject({ code: "client_limit_reached" });
    await operator.open("address", "203.0.113.7");
    await expect(fail()).resolves.toBeUndefined();
  },
);

test.each([undefined, "newest", "other"] as const)(
  "an operator opens a number that too many wrong codes have closed, to strangers and to devices (%s)",
  async (knownDevice) => {
    const { operator, deps } = setUp();
    const failures = failureBudgets(
      { ...deps, limits: { ...limits, failuresPerPhone: 2 } },
      { phoneFingerprint: "fingerprint of +4915123456789", knownDevice },
    );
    const fail = () => reserve(deps.store, failures);
    await fail();
    await fail();
    await expect(fail()).rejects.toMatchObject({ code: "phone_closed" });
    await operator.open("phone", "+4915123456789");
    await expect(fail()).resolves.toBeUndefined();
  },
);

test("the app on alert is listed first, also by another process, and refuses nothing", async () => {
  const { clock, operator, ask, deps } = setUp();
  for (let index = 0; index < 130; index++)
    expect(await ask(`+4${index + 1000}000001`, `client ${index}`)).toBe("sent");
  // What a process has counted is in the store after five seconds, with the next login.
  await clock.advance(6000);
  expect(await ask("+49999000001", "last client")).toBe("sent");
  const elsewhere = createOperatorLimits({
    ...deps,
    counters: createCounters(deps),
    minDigits: 6,
    lengthensCodes: false,
  });
  const [first, ...others] = await elsewhere.state();
  expect([first, others]).toEqual([{ kind: "app", unconfirmed: 130, threshold: 100 }, []]);
  expect(await operator.open("phone", "+41000000001")).toBe(true);
  await clock.advance(2 * 86_400_000);
  expect(await elsewhere.state()).toEqual([]);
});

test("L33: the description has the running limits, what all devices of a number have together, the alerts, and the chances of false alarms", () => {
  const { operator } = setUp();
  const { falseAlarms, ...description } = operator.describe();
  expect(description.limits).toEqual(limits);
  expect(description.ofNumber).toEqual({ sendsPerDay: 21, failuresInARow: 300, knownDevices: 8 });
  expect(description.alerts.app).toEqual({ unconfirmed: 100, perDailyLogin: 0.02 });
  const ofBlock = falseAlarms.find(({ kind, confirmed }) => kind === "block" && confirmed === 0.85);
  // (0.15 / 0.85) to the sixth power.
  expect(ofBlock?.chance).toBeCloseTo(3.02e-5, 6);
});
