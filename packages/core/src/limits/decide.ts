import { type Answered, type Budget, refusalOf } from "./budgets.ts";
import { type CountedLogin, isKnown, type KnownDevice } from "./counted-login.ts";
import { type Answers, type CodeRequest, type Counter, countOf, type NumberOwner } from "./counter.ts";
import { maxKnownDevices, rememberedSeconds } from "./counter-table.ts";
import { judgeGroup, type Refused, totalOf } from "./group-limits.ts";
import { isBlock } from "./groups.ts";
import type { AllowedCode } from "./limited-code.ts";
import { isEnforced, type LoginLimits } from "./login-limits.ts";

/** The decision about a code. */
export interface Decision extends Omit<AllowedCode, "giveBack"> {
  /** What refuses the code; `undefined` for a code that may be sent. */
  readonly refused: Refused | undefined;
  /** The counters that the code has added to. Give them back if it is not sent. */
  readonly granted: readonly Counter[];
}

/**
 * Decides about a code from the answers to {@link countersOf}: the budgets of the number, then the ceilings, then the groups.
 *
 * If the number has no code left, a known device has budgets of its own: with their answers too, they decide instead of the number's.
 */
export function decide(limits: LoginLimits, request: CodeRequest, answers: Answers): Decision {
  const ofNumber = judgeSends(answers, "number");
  const login = describeLogin(limits, request, answers, ofNumber.count);
  const { country, knownNumber, knownDevice } = login;
  const hasDevice = knownDevice !== undefined && answers.has(`${knownDevice}.window`);
  const sends = hasDevice ? judgeSends(answers, knownDevice) : ofNumber;

  const added = isKnown(login) ? 0 : request.added;
  const ofApp = totalOf(answers, "app", request.now, added);
  const ofCountry = totalOf(answers, "country", request.now, added);
  const onAlert = ofCountry.isOver && isEnforced(limits, "country");
  const groups = request.groups.map((group) => judgeGroup(answers, group, request, { ...ofCountry, onAlert }));
  // With `beforeSend`, a known number that passes would tell strangers that it has an account.
  const isExempt = request.isTentative ? knownDevice !== undefined : isKnown(login);
  const byGroups = isExempt ? [] : groups.flatMap(({ refused }) => refused ?? []);

  const refused = sends.refused ?? refusedByCeiling(answers) ?? refusedByGroup(limits, byGroups);
  const observed = byGroups[0];
  return {
    decision: {
      type: "login.send_decided",
      outcome: refused ? "refused" : observed ? "would_refuse" : "allowed",
      country,
      onAlert,
      appOnAlert: ofApp.isOver,
      knownNumber,
      knownDevice: knownDevice !== undefined,
      ...(refused ?? observed)?.limit,
    },
    counters: [sends.counter, ...groups.map(({ counter }) => counter)],
    counted: login,
    failures: request.login ? 0 : countOf(answers, `${knownDevice ?? "number"}.failures`),
    cooldownSeconds: sends.cooldownSeconds,
    refused,
    granted: [...answers.values()].filter(({ by, granted }) => by > 0 && granted),
  };
}

/** Judges the budgets of a number, or of its known device. */
function judgeSends(answers: Answers, owner: NumberOwner) {
  const named = (what: string) => [...answers.values()].filter(({ name }) => name.startsWith(`${owner}.${what}`));
  const parts = named("part");
  const pauses = named("pause");
  const [newest] = parts as [Answered<Counter>];
  const { limit: threshold = 0, by } = newest;
  const count = parts.reduce((sum, part) => sum + part.count, 0) + 1 - by;
  const day: Answered<Budget> = {
    ...newest,
    by: 1,
    granted: newest.granted && count <= threshold,
    secondsLeft: parts.findLast((part) => part.count > 0)?.secondsLeft ?? 0,
  };
  const error = refusalOf([day, ...named("window"), ...pauses]);
  const begun = pauses.filter((pause) => pause.count === pause.limit);
  return {
    refused: error && ({ limit: { limit: "number" }, error } as const),
    counter: { limit: "number", count, threshold } as const,
    count,
    cooldownSeconds: Math.max(0, ...begun.map(({ secondsLeft }) => secondsLeft)),
  };
}

const ceilings = ["sends_per_hour", "sends_per_day", "cost_per_day"] as const;

function refusedByCeiling(answers: Answers): Refused | undefined {
  for (const limit of ceilings) {
    const ceiling = answers.get(limit);
    const error = ceiling && refusalOf([ceiling]);
    if (error) return { limit: { limit }, error };
  }
  return undefined;
}

function refusedByGroup(limits: LoginLimits, byGroups: readonly Refused[]): Refused | undefined {
  const enforced = byGroups.filter(({ group }) => group && isEnforced(limits, group.rule.kind));
  // A client that is refused anyway must not close blocks of numbers.
  return enforced.find(({ group }) => group && !isBlock(group.rule.kind)) ?? enforced[0];
}

const daySeconds = 86_400;
/** A known number is known for so many codes a day. More could be an attacker's own number. */
const codesOfKnownNumber = 3;

/** Describes a login by what is known of its number and its device. */
function describeLogin(
  limits: LoginLimits,
  { login, now, country, address, network, device, added }: CodeRequest,
  answers: Answers,
  sendsToday: number,
): CountedLogin {
  if (login) return { ...login, added: login.added + added };
  const sinceFirst = secondsSince(answers, "proven.first");
  const sinceLast = secondsSince(answers, "proven.last");
  return {
    country,
    address,
    network,
    // A day ago or longer: else an attacker could prove numbers and use them again immediately.
    knownNumber: sinceFirst !== undefined && sinceFirst >= daySeconds && sendsToday <= codesOfKnownNumber,
    knownDevice: knownDeviceOf(limits, answers),
    added,
    provenToday: countOf(answers, "proven.verified") > 0 || (sinceLast !== undefined && sinceLast < daySeconds),
    lastProvenAt: sinceLast === undefined ? undefined : now - sinceLast * 1000,
    device,
    devicePlace: countOf(answers, "device.place"),
    newestPlace: countOf(answers, "device.newestPlace"),
  };
}

/** Returns the time since a proof of a number, from the lifetime that is left of its counter; `undefined` for none. */
export function secondsSince(answers: Answers, name: "proven.first" | "proven.last"): number | undefined {
  const proof = answers.get(name);
  return proof && proof.count > 0 ? rememberedSeconds - proof.secondsLeft : undefined;
}

function knownDeviceOf(limits: LoginLimits, answers: Answers): KnownDevice | undefined {
  const place = countOf(answers, "device.place");
  const newestPlace = countOf(answers, "device.newestPlace");
  if (place === 0 || place > newestPlace || place <= newestPlace - maxKnownDevices) return undefined;
  const device = place === newestPlace ? "newest" : "other";
  // A device whose wrong codes have reached the limit is a stranger: the number is closed to it as a known device only.
  return countOf(answers, `${device}.failures`) < limits.failuresPerPhone ? device : undefined;
}
