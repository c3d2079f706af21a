import { z } from "zod";
import { type Call, checkRequest, missingPathHint, throwIfRefused } from "./call.ts";
import {
  callbackUrl,
  identifier,
  nonEmptyText,
  optionalIdentifier,
  optionalInstant,
  optionalText,
  phoneNumber,
} from "./fields.ts";

/** The body of `POST /messages`. @see "Message request" of the specification */
export interface MessageRequest {
  /** The phone numbers in E.164: `+` and digits. */
  readonly recipients: readonly string[];
  readonly channels: readonly {
    readonly channel: "SMS";
    /** A sender ID that is registered on the account, or a rented number. */
    readonly sender: string;
    readonly content: { readonly text: string };
  }[];
  /** The URL that receives the events of this request, instead of the application's webhook endpoint. */
  readonly callback_url?: string | undefined;
}

/** Options of a single call. */
export interface CallOptions {
  /**
   * Gives the request up when it aborts. The call rejects with `service_unavailable`, with the `outcome` "unknown" if the request had left.
   */
  readonly signal?: AbortSignal | undefined;
}

/** A message of the service. Fields that the specification does not describe are passed through. */
export interface MessageRecord {
  readonly message_id?: string | undefined;
  readonly recipient?: string | undefined;
  /** `QUEUED`, `SENT`, `FAILED`, `DELIVERED`, or a status that the specification does not name. */
  readonly status?: string | undefined;
  /** The instant of the status: a text, or Unix seconds or milliseconds. */
  readonly status_updated_at?: string | number | undefined;
  readonly [field: string]: unknown;
}

/** The answer to `POST /messages`. @see "Message response" of the specification */
export interface MessageResponse {
  /** The service's id of the request, for its support. */
  readonly request_id?: string | undefined;
  /** The status of the request, such as `SUCCESS`. */
  readonly status?: string | undefined;
  /** The accepted messages, one for each recipient and channel. */
  readonly messages: readonly (MessageRecord & { readonly message_id: string })[];
}

/** Outbound messages. */
export interface Messages {
  /**
   * Sends a text to one or more recipients. Success means that the service accepted it; webhook events report the delivery.
   *
   * @throws DoorcodeError with a code that {@link ServiceClient} lists
   * @see `POST /messages` of the specification
   */
  send(request: MessageRequest, options?: CallOptions): Promise<MessageResponse>;
  /**
   * Lists messages. The service decides how many. Entries that are not records are skipped. A list beyond 64 MiB is not read and rejects
   * with `service_unreadable`.
   *
   * @throws DoorcodeError with a code that {@link ServiceClient} lists
   * @see `GET /messages` of the specification
   */
  list(options?: CallOptions): Promise<readonly MessageRecord[]>;
}

const requestShape: z.ZodType<MessageRequest> = z.strictObject({
  recipients: z.array(phoneNumber).min(1, "expected at least one recipient"),
  channels: z
    .array(
      z.strictObject({
        channel: z.literal("SMS"),
        sender: nonEmptyText,
        content: z.strictObject({ text: nonEmptyText }),
      }),
    )
    .min(1, "expected at least one channel"),
  callback_url: callbackUrl,
});

const recordShape = z.looseObject({
  message_id: optionalIdentifier,
  recipient: optionalText,
  status: optionalText,
  status_updated_at: optionalInstant,
});

const responseShape = z.object({
  request_id: optionalText,
  status: optionalText,
  messages: z.array(recordShape.extend({ message_id: identifier })),
});

/** Room for some hundred thousand messages: the specification has no way to ask for fewer. */
const listLimitBytes = 64 * 1_048_576;

/** Reads the records of a body that is a list, or an object with one: `messages`, else the first list that is not empty. */
function readList(body: unknown): readonly MessageRecord[] | undefined {
  const list = findList(body);
  if (!list) return undefined;
  const records = list.map((entry) => recordShape.safeParse(entry).data).filter((record) => record !== undefined);
  // A list without any record is unreadable, not empty.
  return records.length > 0 || list.length === 0 ? records : undefined;
}

function findList(body: unknown): readonly unknown[] | undefined {
  if (typeof body !== "object" || body === null) return undefined;
  const { messages, ...others }: { messages?: unknown } = body;
  const named = [body, messages].find((value) => Array.isArray(value));
  const lists = Object.values(others).filter((value) => Array.isArray(value));
  return named ?? lists.find(({ length }) => length > 0) ?? lists[0];
}

const path = "/messages";
const hints = missingPathHint(path);

/** Creates the messages API of a client. */
export function createMessages(call: Call): Messages {
  return {
    async send(request, { signal } = {}) {
      const body = checkRequest(requestShape, request);
      const texts = body.channels.map(({ content }) => content.text);
      // A text may hold a code, which the service could echo alone.
      const codes = texts.flatMap((text) => text.match(/\d{4,}/g) ?? []);
      const sensitive = [...body.recipients, ...texts, ...codes];
      const accepted = await call({ method: "POST", path, body, sensitive, hints, signal });
      throwIfRefused(accepted);
      const response = responseShape.safeParse(accepted.body);
      if (!response.success) throw accepted.error("service_unreadable");
      return response.data;
    },
    async list({ signal } = {}) {
      const request = { method: "GET", path, limitBytes: listLimitBytes } as const;
      const accepted = await call({ ...request, sensitive: [], hints, signal });
      const list = readList(accepted.body);
      if (!list) throw accepted.error("service_unreadable");
      return list;
    },
  };
}
