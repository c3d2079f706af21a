import type { ScriptArguments } from "./script.ts";

/** A read or a change of one key, which `command-script.ts` carries out. */
export interface KeyCommand {
  readonly name: keyof typeof letters;
  readonly key: string;
  /** Amounts, limits and times in milliseconds; at most three. */
  readonly numbers: readonly number[];
  /** Tokens and values; at most two. */
  readonly texts: readonly string[];
}

/** The commands, as the script calls them. */
const letters = {
  get: "g",
  put: "p",
  delete: "d",
  /** Reads a counter. */
  read: "r",
  /** Changes a counter, and restarts its lifetime only if it has none. */
  count: "c",
  /** Changes a counter and restarts its lifetime. */
  renew: "n",
  lease: "l",
  settle: "s",
  /** Settles without a value. */
  clear: "x",
} as const;

/** A number is named by a printable character, beginning after those of the first two arguments, ` ` being 0. */
const firstNumber = 3;
const maxNumbers = 92;

/**
 * Returns the arguments of the script, or `undefined` if the commands have more different numbers than one script takes.
 *
 * The first argument has the letter of each command, followed by a character for each of its numbers: its place among the arguments. The
 * same limits and times come with every login, and each argument costs this process more than all else that the store does with it. The
 * second argument is the place of the first text, after the numbers; three spaces let the script read beyond the last command.
 */
export function scriptArguments(commands: readonly KeyCommand[]): ScriptArguments | undefined {
  const places = new Map<number, string>();
  const keys: string[] = [];
  const texts: string[] = [];
  let calls = "";
  for (const { name, key, numbers, texts: own } of commands) {
    keys.push(key);
    if (own.length > 0) texts.push(...own);
    calls += letters[name];
    for (const number of numbers) {
      let place = places.get(number);
      if (place === undefined) {
        place = String.fromCharCode(32 + firstNumber + places.size);
        places.set(number, place);
      }
      calls += place;
    }
  }
  if (places.size > maxNumbers) return undefined;
  const firstText = firstNumber + places.size;
  return { keys, values: [`${calls}   `, String(firstText), ...[...places.keys()].map(String), ...texts] };
}

const [nothing, done] = ["0", "1"];

/**
 * Reads the reply of the script: a reply for each command, in their order. A command that found nothing has `undefined`.
 *
 * @throws TypeError for a reply that no client of ioredis 6 returns.
 */
export function readReplies(reply: unknown): readonly unknown[] {
  const [outcomes, ...others]: readonly unknown[] = Array.isArray(reply) ? reply : [];
  if (typeof outcomes !== "string") {
    throw new TypeError("The reply of Redis cannot be read: give the store a client of ioredis 6.");
  }
  const replies: unknown[] = [];
  let next = 0;
  // Letter by letter: an iterator would cost ten times as much.
  for (let index = 0; index < outcomes.length; index++) {
    const outcome = outcomes[index];
    if (outcome === nothing) replies.push(undefined);
    else replies.push(outcome === done ? 1 : others[next++]);
  }
  return replies;
}
