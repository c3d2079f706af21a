import { z } from "zod";
import { identifier, optionalIdentifier, optionalInstant, optionalText } from "../primitives/wire-fields.ts";
import { type Call, refuseErrorCode } from "./call.ts";
import { checkRequest, type MessageRequest, messageRequestShape } from "./wire.ts";

/** What may be given beside a request. */
export interface CallOptions {
  /** Gives the request up; it then rejects with `service_unavailable`, its `outcome` telling whether it had left. */
  readonly signal?: AbortSignal | undefined;
}

/** A message of the service. Fields that the specification does not show are passed through. */
export interface MessageRecord {
  readonly message_id?: string | undefined;
  readonly recipient?: string | undefined;
  /** `QUEUED`, `SENT`, `FAILED`, `DELIVERED`, or one that the specification does not name. */
  readonly status?: string | undefined;
  readonly status_updated_at?: string | number | undefined;
  readonly [field: string]: unknown;
}

/** The answer to `POST /messages`. @see "Message response" of the specification */
export interface MessageResponse {
  /** To quote to the service's support. */
  readonly request_id?: string | undefined;
  readonly status?: string | undefined;
  /** One for each recipient and channel. */
  readonly messages: readonly (MessageRecord & { readonly message_id: string })[];
}

/** Outbound messages. */
export interface Messages {
  /**
   * Has a text sent to one or many recipients. Success means accepted: what became of it comes as webhook events.
   *
   * @throws DoorcodeError as {@link ServiceClient} says.
   * @see `POST /messages` of the specification
   */
  send(request: MessageRequest, options?: CallOptions): Promise<MessageResponse>;
  /**
   * Lists messages, as many as the service chooses to show. Of a list beyond 64 MiB nothing is read, and it is
   * `service_unreadable`; whatever stands in a list and is no record is passed over.
   *
   * @throws DoorcodeError as {@link ServiceClient} says.
   * @see `GET /messages` of the specification
   */
  list(options?: CallOptions): Promise<readonly MessageRecord[]>;
}

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

/** Some hundred thousand messages: the service shows no way to ask for fewer. */
const listLimitBytes = 64 * 1_048_576;

/** Reads a list alone, or an object in which one stands: `messages`, else the first. */
function readList(body: unknown): readonly MessageRecord[] | undefined {
  const list = findList(body);
  if (!list) return undefined;
  const records = list.map((entry) => recordShape.safeParse(entry).data).filter((record) => record !== undefined);
  // A list of something else is not an empty one.
  return records.length > 0 || list.length === 0 ? records : undefined;
}

function findList(body: unknown): readonly unknown[] | undefined {
  if (typeof body !== "object" || body === null) return undefined;
  const { messages, ...others }: { messages?: unknown } = body;
  return [body, messages, ...Object.values(others)].find((found): found is unknown[] => Array.isArray(found));
}

/** Creates the `messages` of a client. */
export function createMessages(call: Call): Messages {
  return {
    async send(request, { signal } = {}) {
      const body = checkRequest(messageRequestShape, request);
      const texts = body.channels.map(({ content }) => content.text);
      const sensitive = [...body.recipients, ...texts];
      const accepted = await call({ method: "POST", path: "/messages", body, sensitive, signal });
      refuseErrorCode(accepted);
      const response = responseShape.safeParse(accepted.body);
      if (!response.success) throw accepted.error("service_unreadable");
      return response.data;
    },
    async list({ signal } = {}) {
      const request = { method: "GET", path: "/messages", limitBytes: listLimitBytes } as const;
      const accepted = await call({ ...request, sensitive: [], signal });
      const list = readList(accepted.body);
      if (!list) throw accepted.error("service_unreadable");
      return list;
    },
  };
}
