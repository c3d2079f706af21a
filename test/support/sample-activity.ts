import type { ManualClock } from "@doorcode/core/testing";
import type { Sandbox, SandboxOptions } from "@doorcode/sandbox";
import { confirm, sendCode, sendMessage } from "./api-requests.ts";

/** Numbers that regulators reserve for film and print. */
export const phones = {
  german: "+491713920001",
  germanWhoseSmsFails: "+491713920013",
  british: "+441134960004",
  french: "+33199000007",
  american: "+13075550104",
  swedish: "+46701740604",
} as const;

/** A decision of an app's limits, as the app tells the sandbox. */
export const refusedSend = {
  type: "login.send_decided",
  outcome: "refused",
  country: "DE",
  limit: "block",
  count: 7,
  threshold: 6,
  onAlert: true,
  appOnAlert: false,
  knownNumber: false,
  knownDevice: false,
} as const;

/** The options of a sandbox with sample activity: everything in it but its ids is always the same. */
export const sampleOptions: SandboxOptions = {
  senders: ["Bakery"],
  templates: {
    login: "Your code is {{code}}",
    "login-shop": "{{code}} is your code for {{shop}}. Nobody of us will ever ask you for it.",
  },
  codes: {
    [phones.german]: "204816",
    [phones.germanWhoseSmsFails]: "482915",
    [phones.french]: "730914",
    [phones.swedish]: "916045",
  },
  users: [{ email: "ada@example.com", role: "admin" }],
};

/** A sandbox, and the app that receives its webhooks. */
export interface SampleSetup {
  readonly sandbox: Sandbox;
  readonly clock: ManualClock;
  /** Sets the status with which the app answers webhooks from now on. */
  readonly answerWith: (status: number) => void;
}

/**
 * Performs two days of a shop: parcels, logins, a channel that fails, and an app that is down for a while.
 *
 * @returns what performs the last login: its code is sent to a phone and never used.
 */
export async function createSampleActivity(setup: SampleSetup): Promise<() => Promise<void>> {
  await yesterday(setup);
  await pass(setup, 13 * 60);
  await morning(setup);
  await fallback(setup);
  await failingApp(setup);
  return async () => {
    await sendCode(setup.sandbox, phones.german, ["SMS", "WHATSAPP"], "login-shop");
    await pass(setup, 0.1);
  };
}

/** Sends a message whose webhooks are never delivered: the app answers 500 to each attempt. */
async function yesterday(setup: SampleSetup): Promise<void> {
  setup.answerWith(500);
  await sendMessage(setup.sandbox, phones.british, "Your parcel arrives tomorrow between 9 and 12.", "Bakery");
  for (const minutes of [0.1, 0.6, 2.1, 10.1, 60.1]) await pass(setup, minutes);
  setup.answerWith(204);
}

async function morning(setup: SampleSetup): Promise<void> {
  await sendMessage(
    setup.sandbox,
    phones.german,
    "Fresh bread from 6 today – we keep two loaves for you until noon.",
    "Bakery",
  );
  await pass(setup, 12);
  const french = await sendCode(setup.sandbox, phones.french, ["WHATSAPP", "SMS"]);
  await pass(setup, 0.4);
  await confirm(setup.sandbox, french, "730914");
  await pass(setup, 9);
  await sendMessage(setup.sandbox, phones.american, "Your table for two is booked: Friday, 19:30.", "Doorcode");
  await pass(setup, 4);
}

/** Performs a login whose SMS fails, so that WhatsApp is next, with a duplicate webhook and a wrong code. */
async function fallback(setup: SampleSetup): Promise<void> {
  const { faults } = setup.sandbox;
  faults.add({
    on: "verification.update",
    to: phones.germanWhoseSmsFails,
    status: "WHATSAPP DELIVERED",
    action: { type: "duplicate" },
    times: 1,
  });
  const verification = await sendCode(setup.sandbox, phones.germanWhoseSmsFails, ["SMS", "WHATSAPP", "VOICE"]);
  await pass(setup, 0.25);
  await confirm(setup.sandbox, verification, "482951");
  await pass(setup, 0.1);
  await confirm(setup.sandbox, verification, "482915");
  await pass(setup, 6);
  faults.clear();
}

async function failingApp(setup: SampleSetup): Promise<void> {
  setup.answerWith(500);
  await sendCode(setup.sandbox, phones.swedish, ["VOICE"]);
  await pass(setup, 0.7);
  setup.answerWith(204);
}

/** Advances the clock, and waits for the answers to all webhooks that are due. */
async function pass({ sandbox, clock }: SampleSetup, minutes: number): Promise<void> {
  await clock.advance(minutes * 60_000);
  await sandbox.deliveries.settled();
}
