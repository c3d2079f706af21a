import { type CheckedOptions, readSecret, type SecretKind } from "./check-options.ts";
import type { WebhookMountParts } from "./http/webhook-endpoint.ts";
import type { DoorcodeOptions } from "./options.ts";
import type { SharedParts } from "./shared-parts.ts";
import { createWebhookDesk, type WebhookDesk } from "./webhook/dead-letter.ts";
import type { Inbox } from "./webhook/inbox.ts";
import { createInboxReceiver } from "./webhook/inbox-receiver.ts";
import type { ReceiverParts } from "./webhook/process-event.ts";
import { createReceiver } from "./webhook/receiver.ts";
import { importSigningSecrets } from "./webhook/signature.ts";
import { type EventTransactions, settlePatiently, withoutTransactions } from "./webhook/transactions.ts";
import { createWorkers, type Workers } from "./webhook/workers.ts";

/** The parts behind an inbox. */
export interface InboxParts {
  readonly inbox: Inbox;
  readonly desk: WebhookDesk;
  readonly workers: Workers;
}

/** What a kit has for webhooks. An undefined part was not configured. */
export interface WebhookParts {
  readonly webhooks: WebhookMountParts | undefined;
  readonly inbox: InboxParts | undefined;
}

/** The service makes it; the length only catches a placeholder. */
const signingSecret: SecretKind = {
  fewestCharacters: 8,
  fix: "set WEBHOOK_SECRET to the signing secret of the application, which the service's portal shows once",
};

/** The memory of one process would let another one handle the same event once more. */
const sharedStore =
  "one that every process shares, such as createRedisStore({ client }) or createPostgresStore({ pool })";

const sameStore =
  "pass the one store to both, as in { store, webhooks: { transactions: createEventTransactions({ pool, store }) } }";

/**
 * Wires what receives webhooks, and what works on them.
 *
 * @throws TypeError for a missing or wrong secret, an inbox without a store, and transactions of another store.
 */
export function createWebhooks<User, Scope>(
  shared: SharedParts,
  { webhooks, store }: DoorcodeOptions<User, Scope>,
  checked: CheckedOptions,
): WebhookParts {
  if (!webhooks || !checked.webhooks) return { webhooks: undefined, inbox: undefined };
  const { handlerSeconds, toleranceSeconds, limitBytes, attempts, retrySeconds } = checked.webhooks;
  const { inbox } = webhooks;
  const secrets = readSecret("webhooks.secret", signingSecret, webhooks.secret);
  if (inbox && !store) throw new TypeError(`createDoorcode: webhooks.inbox needs a store: ${sharedStore}.`);
  if (webhooks.transactions && webhooks.transactions.store !== store) {
    throw new TypeError(`createDoorcode: webhooks.transactions marks events in another store: ${sameStore}.`);
  }
  // Nobody waits for the answer of a worker.
  const completing = inbox ? settlePatiently(shared.store, shared.clock) : shared.store;
  // Without transactions there is nothing that Scope was inferred from, so that it is unknown, which everything is.
  const transactions = webhooks.transactions ?? (withoutTransactions(completing) as EventTransactions<Scope>);
  const parts: ReceiverParts<Scope> = { ...shared, transactions, handlers: webhooks.on ?? {}, handlerSeconds };
  return {
    webhooks: {
      clock: shared.clock,
      publish: shared.publish,
      keys: importSigningSecrets(secrets),
      toleranceSeconds,
      limitBytes,
      receiver: inbox ? createInboxReceiver({ ...shared, inbox }) : createReceiver(parts),
    },
    inbox: inbox && {
      inbox,
      desk: createWebhookDesk(inbox),
      workers: createWorkers({ ...parts, inbox, attempts, retrySeconds }),
    },
  };
}
