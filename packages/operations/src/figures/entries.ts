import type { ErrorSummary } from "@doorcode/core/adapter";
import { z } from "zod";

const webhookOutcomes = ["failed", "dead_lettered", "handled", "overtaken"] as const;

/** What became of a webhook that has failed: `overtaken` if a newer event was handled before. */
export type WebhookOutcome = (typeof webhookOutcomes)[number];

/** Unix milliseconds that are a date. */
export const instantShape: z.ZodType<number> = z.number().min(0).max(8.64e15);
const count = z.number().finite();

/** The shape of a webhook in a document. */
export const webhookShape: z.ZodType<WebhookEntry> = z.object({
  at: instantShape,
  kind: z.string(),
  outcome: z.enum(webhookOutcomes),
  failures: count,
  firstFailureAt: instantShape.optional(),
  lastFailureAt: instantShape.optional(),
  error: z.string().optional(),
  deadAt: instantShape.optional(),
});

/** A webhook whose handler has failed, by the key of its event. It holds no body. */
export interface WebhookEntry {
  /** The instant of the newest outcome, as Unix milliseconds. */
  readonly at: number;
  /** The kind of the event, such as `message.status.update`. */
  readonly kind: string;
  readonly outcome: WebhookOutcome;
  readonly failures: number;
  readonly firstFailureAt?: number | undefined;
  readonly lastFailureAt?: number | undefined;
  /** The error of the last failure. */
  readonly error?: string | undefined;
  /** When it became a dead letter, the first time. */
  readonly deadAt?: number | undefined;
}

/**
 * Returns an error as one line. A dead letter and the figures of its webhook show the same line: the page compares them, to find the action on
 * all dead letters of an error.
 */
export function errorText({ name, code, message }: ErrorSummary): string {
  return [code ?? name, message].filter(Boolean).join(": ");
}

/** The shape of a group in a document. */
export const groupShape: z.ZodType<GroupEntry> = z.object({
  at: instantShape,
  kind: z.string(),
  country: z.string(),
  refused: count,
  closing: z
    .object({ at: instantShape, until: instantShape, logins: count, counted: z.enum(["unconfirmed", "logins"]) })
    .optional(),
});

/** A block of numbers, an address or a network that has refused codes, by its digest. */
export interface GroupEntry {
  /** The instant of the last refusal, as Unix milliseconds. */
  readonly at: number;
  readonly kind: string;
  /** The country of the number that was refused last. */
  readonly country: string;
  /** The refusals since the last closing. */
  readonly refused: number;
  readonly closing?: Closing | undefined;
}

/** The last closing of a group: when, until when, and after how many logins, not confirmed or all of that day. */
interface Closing {
  readonly at: number;
  readonly until: number;
  readonly logins: number;
  readonly counted: "unconfirmed" | "logins";
}

/** The shape of an action in a document. */
export const actionShape: z.ZodType<ActionEntry> = z.object({
  at: instantShape,
  action: z.string(),
  operator: z.string(),
  outcome: z.string(),
  text: z.string(),
  target: z.string().optional(),
});

/** An action of an operator. */
export interface ActionEntry {
  /** Unix milliseconds. */
  readonly at: number;
  readonly action: string;
  readonly operator: string;
  readonly outcome: string;
  /** The outcome in a sentence. */
  readonly text: string;
  readonly target?: string | undefined;
}

/** The entries of each list of a document: the newest ones. */
export const maxEntries = 100;

/** Adds what is known of a webhook to what was known of it before. */
export function addWebhook(webhooks: Map<string, WebhookEntry>, key: string, added: WebhookEntry): void {
  const known = webhooks.get(key);
  addNewest(webhooks, key, known ? joinWebhooks(...inOrder(known, added)) : added);
}

function joinWebhooks(older: WebhookEntry, newer: WebhookEntry): WebhookEntry {
  return {
    ...newer,
    failures: older.failures + newer.failures,
    firstFailureAt: older.firstFailureAt ?? newer.firstFailureAt,
    lastFailureAt: newer.lastFailureAt ?? older.lastFailureAt,
    error: newer.error ?? older.error,
    deadAt: older.deadAt ?? newer.deadAt,
  };
}

/**
 * Adds the refusals of a group to those since its last closing. What an earlier closing refused stays under the digest with the instant of that
 * closing: an attack that comes back is another one.
 */
export function addGroup(groups: Map<string, GroupEntry>, digest: string, added: GroupEntry): void {
  const [older, newer] = inOrder(groups.get(digest) ?? { ...added, refused: 0 }, added);
  if (older.closing && newer.closing && !isSameMoment(older.closing, newer.closing)) {
    addNewest(groups, `${digest}.${older.closing.at}`, older);
    addNewest(groups, digest, newer);
  } else {
    const closing = joinClosings(older.closing, newer.closing);
    addNewest(groups, digest, { ...newer, refused: older.refused + newer.refused, closing });
  }
}

/** Requests at the same moment each see that they are too many. The one with the fewest before it came first. */
const sameMomentMilliseconds = 10_000;

function joinClosings(older: Closing | undefined, newer: Closing | undefined): Closing | undefined {
  if (!older || !newer) return newer ?? older;
  return isSameMoment(older, newer) && older.logins <= newer.logins ? older : newer;
}

function isSameMoment(older: Closing, newer: Closing): boolean {
  return Math.abs(newer.at - older.at) < sameMomentMilliseconds;
}

/** Adds an action. */
export function addAction(actions: ActionEntry[], added: ActionEntry): void {
  actions.push(added);
  actions.sort((left, right) => left.at - right.at);
  if (actions.length > maxEntries) actions.shift();
}

function inOrder<Entry extends { readonly at: number }>(known: Entry, added: Entry): [older: Entry, newer: Entry] {
  return known.at <= added.at ? [known, added] : [added, known];
}

/** Sets an entry, and forgets the oldest one of too many. */
function addNewest<Entry extends { readonly at: number }>(
  entries: Map<string, Entry>,
  key: string,
  entry: Entry,
): void {
  entries.set(key, entry);
  if (entries.size <= maxEntries) return;
  const [oldest] = [...entries].sort(([, left], [, right]) => left.at - right.at);
  if (oldest) entries.delete(oldest[0]);
}
