import type { ManualClock } from "@doorcode/core/testing";
import type { Sandbox, SandboxOptions } from "@doorcode/sandbox";
import { confirm, sendCode, sendMessage } from "./sending.ts";

/** Numbers that a regulator keeps for film and print. */
export const phones = {
  german: "+491713920001",
  germanWhoseSmsFails: "+491713920013",
  british: "+441134960004",
  french: "+33199000007",
  american: "+13075550104",
  swedish: "+46701740604",
} as const;

/** How the sandbox of the story is set up: nothing in it is left to chance but its ids. */
export const storyOptions: SandboxOptions = {
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

/** What the story is told with. */
export interface Stage {
  readonly sandbox: Sandbox;
  readonly clock: ManualClock;
  /** Lets the app behind the webhook endpoint answer with that status from now on. */
  readonly answerWith: (status: number) => void;
}

/**
 * Lets two days pass at a shop: parcels, logins, a channel that fails, and an app that is down for a while. The last
 * login is still to come.
 *
 * @returns the last login: a code to a phone, which nobody has used yet.
 */
export async function tellStory(stage: Stage): Promise<() => Promise<void>> {
  await yesterday(stage);
  await pass(stage, 13 * 60);
  await morning(stage);
  await fallback(stage);
  await failingApp(stage);
  return async () => {
    await sendCode(stage.sandbox, phones.german, ["SMS", "WHATSAPP"], "login-shop");
    await pass(stage, 0.1);
  };
}

/** A message whose webhooks are given up: the app answers 500 through the whole schedule. */
async function yesterday(stage: Stage): Promise<void> {
  stage.answerWith(500);
  await sendMessage(stage.sandbox, phones.british, "Your parcel arrives tomorrow between 9 and 12.", "Bakery");
  for (const minutes of [0.1, 0.6, 2.1, 10.1, 60.1]) await pass(stage, minutes);
  stage.answerWith(204);
}

async function morning(stage: Stage): Promise<void> {
  await sendMessage(
    stage.sandbox,
    phones.german,
    "Fresh bread from 6 today – we keep two loaves for you until noon.",
    "Bakery",
  );
  await pass(stage, 12);
  const french = await sendCode(stage.sandbox, phones.french, ["WHATSAPP", "SMS"]);
  await pass(stage, 0.4);
  await confirm(stage.sandbox, french, "730914");
  await pass(stage, 9);
  await sendMessage(stage.sandbox, phones.american, "Your table for two is booked: Friday, 19:30.", "Doorcode");
  await pass(stage, 4);
}

/** The SMS fails and WhatsApp is next; a webhook comes twice; a code is mistyped. */
async function fallback(stage: Stage): Promise<void> {
  const { faults } = stage.sandbox;
  faults.add({
    on: "verification.update",
    to: phones.germanWhoseSmsFails,
    status: "WHATSAPP DELIVERED",
    action: { type: "duplicate" },
    times: 1,
  });
  const verification = await sendCode(stage.sandbox, phones.germanWhoseSmsFails, ["SMS", "WHATSAPP", "VOICE"]);
  await pass(stage, 0.25);
  await confirm(stage.sandbox, verification, "482951");
  await pass(stage, 0.1);
  await confirm(stage.sandbox, verification, "482915");
  await pass(stage, 6);
  faults.clear();
}

async function failingApp(stage: Stage): Promise<void> {
  stage.answerWith(500);
  await sendCode(stage.sandbox, phones.swedish, ["VOICE"]);
  await pass(stage, 0.7);
  stage.answerWith(204);
}

/** Lets time pass, and every webhook that falls due be answered. */
async function pass({ sandbox, clock }: Stage, minutes: number): Promise<void> {
  await clock.advance(minutes * 60_000);
  await sandbox.deliveries.settled();
}
