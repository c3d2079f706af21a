import { z } from "zod";
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
   * Lists messages, as many as the service chooses to show.
   *
   * @throws DoorcodeError as {@link ServiceClient} says.
   * @see `GET /messages` of the specification
   */
  list(options?: CallOptions): Promise<readonly MessageRecord[]>;
}

const optionalText = z.string().optional().catch(undefined);

/** As webhooks have it: a message that a webhook names by a number must be the same one in a list. */
const identifier = z.union([z.string(), z.int().transform(String)]);

const recordShape = z.looseObject({
  message_id: identifier.optional().catch(undefined),
  recipient: optionalText,
  status: optionalText,
  status_updated_at: z.union([z.string(), z.number()]).optional().catch(undefined),
});

const responseShape = z.object({
  request_id: optionalText,
  status: optionalText,
  messages: z.array(recordShape.extend({ message_id: identifier })),
});

/** A list alone, or an object in which one stands: `messages`, else the first. */
const listShape = z.union([
  z.array(recordShape),
  z
    .record(z.string(), z.unknown())
    .transform(({ messages, ...others }) => [messages, ...Object.values(others)].find(Array.isArray))
    .pipe(z.array(recordShape)),
]);

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
      const accepted = await call({ method: "GET", path: "/messages", sensitive: [], signal });
      const list = listShape.safeParse(accepted.body);
      if (!list.success) throw accepted.error("service_unreadable");
      return list.data;
    },
  };
}
