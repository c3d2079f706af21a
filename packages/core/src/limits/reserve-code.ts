import type { Store } from "../store/store.ts";
import { giveBack } from "./budgets.ts";
import type { CeilingState } from "./ceilings.ts";
import type { CountedLogin } from "./counted-login.ts";
import { failuresQuery } from "./failures.ts";
import { groupQuery } from "./group-counters.ts";
import { groupsOf } from "./groups.ts";
import { countOfNumber, decisionOf, judgeCode, refusalOf } from "./judge-code.ts";
import type { AllowedCode, LimitedLogin, RefusedCode } from "./limited-code.ts";
import { periodsOf } from "./periods.ts";
import { deviceQuery, isKnownNumber, lastProvenAtOf, numberPastQuery, wasProvenToday } from "./proven-numbers.ts";
import { askTogether, type CounterQuery } from "./query.ts";
import { alertsOf, type ReservedCode, type SendLimitsParts } from "./reserved-code.ts";
import { reserveMissing, type SendBudgetStates, sendBudgetQuery, sendBudgets } from "./send-budgets.ts";
import { takeBackCode } from "./take-back-code.ts";

/**
 * Reserves a code for a login in everything that limits it, and reads all that decides, in one call of the store. For a number that had
 * a code within a day it takes two.
 */
export async function reserveCode(parts: SendLimitsParts, login: LimitedLogin): Promise<AllowedCode | RefusedCode> {
  const { store, clock, keys, prefix, totals, ceilings } = parts;
  const { phone, country, client, device, isTentative = false } = login;
  const phoneFingerprint = keys.fingerprint(phone);
  const names = { phone, address: keys.fingerprint(client.address), network: keys.fingerprint(client.network) };
  const groups = groupsOf(names);
  const periods = periodsOf(clock.now());
  const by = isTentative ? 0 : 1;
  const [ofNumber, ofDevice, { isKnown }, past, failures, failuresOfDevice, ceiling, , ...states] = await askTogether(
    store,
    [
      sendBudgetQuery(sendBudgets(parts, { phoneFingerprint }), by),
      // A device that is not known gets budgets too, because only the store knows which one is. Nothing looks at them.
      device === undefined ? noBudgets : sendBudgetQuery(sendBudgets(parts, { phoneFingerprint, device }), by),
      device === undefined ? noDevice : deviceQuery(prefix, phoneFingerprint, device, 0),
      numberPastQuery(prefix, phoneFingerprint),
      failuresQuery(parts, { phoneFingerprint }),
      device === undefined ? noFailures : failuresQuery(parts, { phoneFingerprint, device }),
      isTentative ? noCeiling : ceilings.query(country),
      totals.shareQuery(country),
      ...groups.map((group) => groupQuery(prefix, group, periods, 1)),
    ],
  );
  const knownNumber = isKnownNumber(past, ofNumber.count + 1 - by);
  const { address, network } = names;
  const known = isKnown || knownNumber;
  if (!known) totals.add(country, { unconfirmed: 1 });
  const lastProvenAt = lastProvenAtOf(past, clock.now());
  const counted = { country, address, network, known, knownNumber, provenToday: wasProvenToday(past), lastProvenAt };
  const reserved: ReservedCode = {
    phone,
    client,
    counted: isKnown ? { ...counted, device } : counted,
    isAsked: isTentative,
    ...alertsOf(parts, country),
    granted: [...ofNumber.granted, ...ofDevice.granted],
    ceiling,
  };
  const found = groups.flatMap((group, index) => (states[index] ? [{ group, state: states[index] }] : []));
  const own = await reserveOwn(parts, reserved, isKnown ? [ofDevice, ofNumber] : [ofNumber, ofDevice]);
  const budgets = {
    ...own.budgets,
    sendsToday: own.budgets.count + 1 - by,
    failures: isKnown ? failuresOfDevice : failures,
  };
  return judgeCode(parts, { ...reserved, granted: own.granted }, budgets, found);
}

/**
 * Reserves what is missing of the budgets that decide, and of the others, which count too. A code that is refused already needs none.
 */
async function reserveOwn(
  parts: SendLimitsParts,
  reserved: ReservedCode,
  owners: readonly [SendBudgetStates, SendBudgetStates],
): Promise<{ readonly budgets: SendBudgetStates; readonly granted: ReservedCode["granted"] }> {
  const [deciding] = owners;
  if (deciding.refusal) return { budgets: deciding, granted: reserved.granted };
  try {
    const all = await reserveMissing(parts.store, owners);
    return { budgets: all[0] ?? deciding, granted: all.flatMap(({ granted }) => granted) };
  } catch (error) {
    // If the store fails at undoing, what is left expires by itself.
    await Promise.allSettled([takeBackCode(parts, reserved)]);
    throw error;
  }
}

/** Reserves another code for a login that was counted: only the budgets of its number and the ceilings decide. */
export async function reserveCodeAgain(
  parts: SendLimitsParts,
  phone: string,
  counted: CountedLogin,
  isTentative = false,
): Promise<AllowedCode | RefusedCode> {
  const { store, keys, ceilings } = parts;
  const owner = { phoneFingerprint: keys.fingerprint(phone), device: counted.device };
  const by = isTentative ? 0 : 1;
  const [first, ceiling] = await askTogether(store, [
    sendBudgetQuery(sendBudgets(parts, owner), by),
    isTentative ? noCeiling : ceilings.query(counted.country),
  ]);
  const budgets = first.refusal ? first : await reserveMissingOf(store, first, ceiling);
  const about = { counted, ...alertsOf(parts, counted.country) };
  const counters = [countOfNumber(parts, budgets.count + 1 - by, counted)];
  const undo = () => {
    ceiling.giveBack();
    return giveBack(store, budgets.granted);
  };
  const refused = refusalOf(budgets, ceiling);
  if (refused) {
    const { limit, refusal } = refused;
    return { refusal, refusedBy: { limit }, decision: decisionOf(about, "refused", { limit }), counters, undo };
  }
  return {
    counted,
    decision: decisionOf(about, "allowed"),
    counters,
    failures: 0,
    cooldownSeconds: budgets.pauseSeconds,
    giveBack: undo,
  };
}

async function reserveMissingOf(
  store: Store,
  first: SendBudgetStates,
  ceiling: CeilingState,
): Promise<SendBudgetStates> {
  try {
    const [budgets = first] = await reserveMissing(store, [first]);
    return budgets;
  } catch (error) {
    ceiling.giveBack();
    await Promise.allSettled([giveBack(store, first.granted)]);
    throw error;
  }
}

const noBudgets: CounterQuery<SendBudgetStates> = {
  changes: [],
  read: () => ({ refusal: undefined, granted: [], missing: [], count: 0, pauseSeconds: 0 }),
};
const noFailures: CounterQuery<number> = { changes: [], read: () => 0 };
const noDevice: CounterQuery<{ readonly isKnown: boolean }> = { changes: [], read: () => ({ isKnown: false }) };
const noCeiling: CounterQuery<CeilingState> = {
  changes: [],
  read: () => ({ refused: undefined, giveBack: () => undefined }),
};
