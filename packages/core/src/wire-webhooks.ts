import type { WebhookMountDeps } from "./http/webhook-endpoint.ts";
import type { LoginDeps } from "./login/login-deps.ts";
import type { CheckedOptions } from "./options/check-options.ts";
import type { DoorcodeOptions } from "./options/doorcode-options.ts";
import { readSecrets, signingSecret } from "./primitives/secrets.ts";
import type { SharedDeps } from "./shared-deps.ts";
import { createDeadLetters, type DeadLetters } from "./webhook/dead-letters.ts";
import type { EventDeps } from "./webhook/event-processing.ts";
import { type EventTransactions, settlePatiently, withoutTransactions } from "./webhook/event-transactions.ts";
import type { Inbox } from "./webhook/inbox.ts";
import { createInboxReceiver } from "./webhook/inbox-receiver.ts";
import { createReceiver } from "./webhook/receiver.ts";
import { importSigningSecrets } from "./webhook/signature.ts";
import { createWorkers, type Workers } from "./webhook/workers.ts";

/** The parts that stand on an inbox. */
export interface InboxParts {
  readonly inbox: Inbox;
  readonly deadLetters: DeadLetters;
  readonly workers: Workers;
}

/** The webhook parts of a kit. An undefined part was not configured. */
export interface WebhookParts {
  readonly webhooks: WebhookMountDeps | undefined;
  readonly inbox: InboxParts | undefined;
}

const sharedStoreFix =
  "one that every process shares, such as createRedisStore({ client }) or createPostgresStore({ pool })";

const sameStoreFix =
  "pass the one store to both, as in { store, webhooks: { transactions: createEventTransactions({ pool, store }) } }";

/**
 * Wires the receiver of webhooks and, with an inbox, its workers and dead letters.
 *
 * @throws TypeError for a missing or wrong secret, an inbox without a store, and transactions of another store
 */
export function wireWebhooks<User, Scope>(
  shared: SharedDeps,
  { webhooks, store }: DoorcodeOptions<User, Scope>,
  checked: CheckedOptions,
  login: LoginDeps | undefined,
): WebhookParts {
  if (!webhooks || !checked.webhooks) return { webhooks: undefined, inbox: undefined };
  const { handlerSeconds, toleranceSeconds, limitBytes, attempts, retrySeconds } = checked.webhooks;
  const { inbox } = webhooks;
  const secrets = readSecrets("createDoorcode", "webhooks.secret", signingSecret, webhooks.secret, shared.secrets);
  // With the memory of one process, another process would handle the same event again.
  if (inbox && !store) throw new TypeError(`createDoorcode: webhooks.inbox needs a store: ${sharedStoreFix}.`);
  if (webhooks.transactions && webhooks.transactions.store !== store) {
    throw new TypeError(`createDoorcode: webhooks.transactions marks events in another store: ${sameStoreFix}.`);
  }
  // No request waits for a worker, so it may ask a store that is away again.
  const completionStore = inbox ? settlePatiently(shared.store, shared.clock) : shared.store;
  // Without transactions Scope was inferred from nothing: it is unknown, and handlers expect nothing of it.
  const transactions = webhooks.transactions ?? (withoutTransactions(completionStore) as EventTransactions<Scope>);
  // Copied, so that a handler which is added or replaced later changes nothing.
  const handlers = Object.freeze({ ...webhooks.on });
  const countUndelivered = login?.sendLimits.countUndelivered;
  // With an inbox, only workers handle events.
  const changes = inbox ? { announce: shared.changes.announceSoon } : shared.changes;
  const deps: EventDeps<Scope> = {
    ...shared,
    changes,
    transactions,
    rollsBack: webhooks.transactions !== undefined,
    handlers,
    handlerSeconds,
    countUndelivered,
  };
  return {
    webhooks: {
      clock: shared.clock,
      publish: shared.publish,
      keys: importSigningSecrets(secrets),
      toleranceSeconds,
      limitBytes,
      receiver: inbox ? createInboxReceiver({ ...shared, inbox }) : createReceiver(deps),
    },
    inbox: inbox && {
      inbox,
      deadLetters: createDeadLetters(inbox),
      workers: createWorkers({ ...deps, inbox, attempts, retrySeconds }),
    },
  };
}
