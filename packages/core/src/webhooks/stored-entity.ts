import { isNumber, isText, type ListedMembers, listOf, maybe, parseText, readList } from "../store/record.ts";
import type { DeliveryState } from "./delivery-state.ts";
import type { EntityRecord } from "./order.ts";

/*
 * The record of an entity, as the store holds it. Each event reads one and leaves one, so it is a list without names: that takes half of
 * the time and of the memory. What most records lack is at the end.
 */

/** What the store holds. */
interface StoredEntity {
  readonly rank: string;
  readonly keys: readonly string[];
  /** Channel and status of each attempt. Absent if no event told of a delivery. */
  readonly attempts?: readonly (readonly [channel: string, status: string])[] | undefined;
  readonly status?: string | undefined;
  readonly channel?: string | undefined;
  /** 1 for true. */
  readonly final?: number | undefined;
  /** The rank of the delivery state, if it is not the rank of the record. */
  readonly seenRank?: string | undefined;
}

const members: ListedMembers<StoredEntity> = {
  rank: isText,
  keys: isTexts,
  attempts: maybe(areAttempts),
  status: maybe(isText),
  channel: maybe(isText),
  final: maybe(isNumber),
  seenRank: maybe(isText),
};

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every(isText);
}

function areAttempts(value: unknown): boolean {
  return Array.isArray(value) && value.every((attempt) => isTexts(attempt) && attempt.length === 2);
}

const emptyRecord: EntityRecord = { rank: "", keys: [], final: false };

/** Returns the text that the store holds of a record. */
export function entityText({ rank, keys, final, seen }: EntityRecord): string {
  const list = listOf<StoredEntity>(members, {
    rank,
    keys,
    attempts: seen?.attempts.map(({ channel, status }) => [channel, status]),
    status: seen?.status,
    channel: seen?.channel,
    final: final ? 1 : undefined,
    seenRank: seen?.rank === rank ? undefined : seen?.rank,
  });
  return JSON.stringify(list);
}

/** Reads the text of a record. An absent one, and any other text, gives an empty record. */
export function readEntity(text: string | undefined): EntityRecord {
  const stored = text ? readList<StoredEntity>(members, parseText(text)) : undefined;
  if (!stored) return emptyRecord;
  const { rank, keys, final } = stored;
  return { rank, keys, final: final === 1, seen: deliveryOf(stored) };
}

function deliveryOf({ rank, attempts, status, channel, seenRank = rank }: StoredEntity): DeliveryState | undefined {
  return (
    attempts && {
      rank: seenRank,
      status,
      channel,
      attempts: attempts.map(([channel, status]) => ({ channel, status })),
    }
  );
}

/**
 * Reads the delivery state from the stored value of a verification or a message, whose key is `verificationEntityKey` or
 * `messageEntityKey`. Returns `undefined` until an event arrives.
 */
export function readDelivery(value: string | undefined): DeliveryState | undefined {
  return readEntity(value).seen;
}
