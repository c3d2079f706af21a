import type { ClientAddress } from "../util/client-address.ts";
import { type BudgetOwner, giveBack } from "./budgets.ts";
import type { CeilingState } from "./ceilings.ts";
import type { CountedLogin } from "./counted-login.ts";
import { failuresQuery } from "./failures.ts";
import { type GroupState, groupQuery } from "./group-counters.ts";
import { type Group, groupsOf } from "./groups.ts";
import { countOfNumber, decisionOf, judgeCode, refusalOf } from "./judge-code.ts";
import { deviceQuery, type KnownDevice, knownDeviceOf } from "./known-devices.ts";
import type { AllowedCode, LimitedLogin, RefusedCode } from "./limited-code.ts";
import { periodsOf } from "./periods.ts";
import { isKnownNumber, lastProvenAtOf, numberPastQuery, wasProvenToday } from "./proven-numbers.ts";
import { askTogether, type CounterQuery } from "./query.ts";
import { alertsOf, type ReservedCode, type SendLimitsParts } from "./reserved-code.ts";
import { type SendBudgetStates, sendBudgetQuery } from "./send-budgets.ts";
import type { FoundGroup } from "./send-decision.ts";
import { takeBackCode } from "./take-back-code.ts";

/**
 * Reserves a code for a login in everything that limits it, and reads all that decides, in one call of the store. For a known device it
 * takes two if the number has no code left.
 */
export async function reserveCode(parts: SendLimitsParts, login: LimitedLogin): Promise<AllowedCode | RefusedCode> {
  const { store, clock, keys, limits, prefix, totals, ceilings } = parts;
  const { phone, country, client, device, isTentative = false } = login;
  const phoneFingerprint = keys.fingerprint(phone);
  const names = { address: keys.fingerprint(client.address), network: keys.fingerprint(client.network) };
  const groups = groupsOf({ phone, ...names });
  const periods = periodsOf(clock.now());
  const by = isTentative ? 0 : 1;
  // A browser without a device's id has no failures of a device.
  const ofDevice = (knownDevice: KnownDevice) =>
    device === undefined ? noFailures : failuresQuery(parts, { phoneFingerprint, knownDevice });
  const [ofNumber, places, past, failures, newest, other, ceiling, , ...states] = await askTogether(store, [
    sendBudgetQuery(parts, { phoneFingerprint }, by),
    deviceQuery(prefix, phoneFingerprint, device),
    numberPastQuery(prefix, phoneFingerprint),
    failuresQuery(parts, { phoneFingerprint }),
    ofDevice("newest"),
    ofDevice("other"),
    isTentative ? noCeiling : ceilings.query(country),
    totals.shareQuery(country),
    ...groups.map((group) => groupQuery(prefix, group, periods, 1)),
  ]);
  const failuresOf = { newest, other };
  const found = knownDeviceOf(places);
  // Devices that have tried too many wrong codes are known no more: their number is closed to them, and not to a stranger.
  const knownDevice = found && failuresOf[found] < limits.failuresPerPhone ? found : undefined;
  const knownNumber = isKnownNumber(past, ofNumber.count);
  const known = knownDevice !== undefined || knownNumber;
  if (!known) totals.add(country, { unconfirmed: 1 });
  const counted: CountedLogin = {
    country,
    ...names,
    known,
    knownNumber,
    ...(knownDevice !== undefined && { knownDevice }),
    ...places,
    added: 1,
    provenToday: wasProvenToday(past),
    lastProvenAt: lastProvenAtOf(past, clock.now()),
  };
  const reserved: ReservedCode = {
    phone,
    client,
    counted,
    added: 1,
    isAsked: isTentative,
    ...alertsOf(parts, country),
    granted: ofNumber.granted,
    ceiling,
  };
  const own = await withDevices(parts, reserved, ofNumber, by);
  const budgets = { ...own, failures: knownDevice === undefined ? failures : failuresOf[knownDevice] };
  return judgeCode(parts, { ...reserved, granted: own.granted }, budgets, foundOf(groups, states));
}

/** A login that had a code before. */
export interface LoginWithCode {
  readonly counted: CountedLogin;
  /** The codes that it had. */
  readonly sends: number;
  /** The client that asks for another one. */
  readonly client: ClientAddress;
}

/**
 * Reserves another code for a login. The first one is no second suspicion. Each one after it counts like a login, and none is sent while a
 * group of the login is closed.
 */
export async function reserveCodeAgain(
  parts: SendLimitsParts,
  phone: string,
  { counted, sends, client }: LoginWithCode,
  isTentative = false,
): Promise<AllowedCode | RefusedCode> {
  const { store, clock, prefix, totals, ceilings } = parts;
  const { country, known } = counted;
  const groups = groupsOf({ ...counted, phone });
  const periods = periodsOf(clock.now());
  const added = sends < 2 ? 0 : 1;
  const by = isTentative ? 0 : 1;
  const [ofNumber, ceiling, , ...states] = await askTogether(store, [
    sendBudgetQuery(parts, { phoneFingerprint: parts.keys.fingerprint(phone) }, by),
    isTentative ? noCeiling : ceilings.query(country),
    totals.shareQuery(country),
    ...groups.map((group) => groupQuery(prefix, group, periods, added)),
  ]);
  if (!known && added > 0) totals.add(country, { unconfirmed: added });
  const reserved: ReservedCode = {
    phone,
    client,
    counted: { ...counted, added: counted.added + added },
    added,
    isAgain: true,
    isAsked: isTentative,
    ...alertsOf(parts, country),
    granted: ofNumber.granted,
    ceiling,
  };
  const own = await withDevices(parts, reserved, ofNumber, by);
  return judgeCode(parts, { ...reserved, granted: own.granted }, { ...own, failures: 0 }, foundOf(groups, states));
}

/** Reserves a code that was only looked at, after the app has allowed it: the budgets of its number and the ceilings. */
export async function reserveNumber(
  parts: SendLimitsParts,
  phone: string,
  counted: CountedLogin,
): Promise<AllowedCode | RefusedCode> {
  const { store, keys, ceilings } = parts;
  const [ofNumber, ceiling] = await askTogether(store, [
    sendBudgetQuery(parts, { phoneFingerprint: keys.fingerprint(phone) }, 1),
    ceilings.query(counted.country),
  ]);
  const undoWith = (granted: SendBudgetStates["granted"]) => {
    ceiling.giveBack();
    return giveBack(store, granted);
  };
  const budgets = await orOfDevices(parts, phone, counted.knownDevice, ofNumber, 1).catch(async (error: unknown) => {
    // If the store fails at undoing, what is left expires by itself.
    await Promise.allSettled([undoWith(ofNumber.granted)]);
    throw error;
  });
  const undo = () => undoWith(budgets.granted);
  const about = { counted, ...alertsOf(parts, counted.country) };
  const counters = [countOfNumber(budgets)];
  const refused = refusalOf(budgets, ceiling);
  if (refused) {
    const { limit, refusal } = refused;
    return { refusal, refusedBy: { limit }, decision: decisionOf(about, "refused", { limit }), counters, undo };
  }
  const { pauseSeconds: cooldownSeconds } = budgets;
  return { counted, decision: decisionOf(about, "allowed"), counters, failures: 0, cooldownSeconds, giveBack: undo };
}

function foundOf(groups: readonly Group[], states: readonly GroupState[]): readonly FoundGroup[] {
  return groups.flatMap((group, index) => (states[index] ? [{ group, state: states[index] }] : []));
}

/** Does what {@link orOfDevices} does, and takes the code back if the store fails. */
async function withDevices(
  parts: SendLimitsParts,
  reserved: ReservedCode,
  ofNumber: SendBudgetStates,
  by: 0 | 1,
): Promise<SendBudgetStates> {
  try {
    return await orOfDevices(parts, reserved.phone, reserved.counted.knownDevice, ofNumber, by);
  } catch (error) {
    // If the store fails at undoing, what is left expires by itself.
    await Promise.allSettled([takeBackCode(parts, reserved)]);
    throw error;
  }
}

/** Returns what the number's budgets say. If they refuse, a known device gets what the number's devices have beside. */
async function orOfDevices(
  parts: SendLimitsParts,
  phone: string,
  knownDevice: KnownDevice | undefined,
  ofNumber: SendBudgetStates,
  by: 0 | 1,
): Promise<SendBudgetStates> {
  if (!ofNumber.refusal || knownDevice === undefined) return ofNumber;
  const owner: BudgetOwner = { phoneFingerprint: parts.keys.fingerprint(phone), knownDevice };
  const [ofDevices] = await askTogether(parts.store, [sendBudgetQuery(parts, owner, by)]);
  return { ...ofDevices, granted: [...ofNumber.granted, ...ofDevices.granted] };
}

const noFailures: CounterQuery<number> = { changes: [], read: () => 0 };
const noCeiling: CounterQuery<CeilingState> = {
  changes: [],
  read: () => ({ refused: undefined, giveBack: () => undefined }),
};
