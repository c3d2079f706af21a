import type { WebhookMountDeps } from "./http/webhook-endpoint.ts";
import type { LoginDeps } from "./login/login-deps.ts";
import type { CheckedOptions } from "./options/check-options.ts";
import type { DoorcodeOptions, WebhookOptions } from "./options/doorcode-options.ts";
import type { Messages } from "./service/messages.ts";
import type { SharedDeps } from "./shared-deps.ts";
import type { Store } from "./store/store.ts";
import { readSecrets, signingSecret } from "./util/secrets.ts";
import { createDeadLetters, type DeadLetters } from "./webhooks/dead-letters.ts";
import type { EventDeps } from "./webhooks/handlers.ts";
import type { Inbox } from "./webhooks/inbox.ts";
import { createInboxReceiver, createReceiver } from "./webhooks/receiver.ts";
import { createReconciler, type Reconciler } from "./webhooks/reconcile.ts";
import { type RegularReconciliation, reconcileRegularly } from "./webhooks/regular-reconciliation.ts";
import { importSigningSecrets } from "./webhooks/signature.ts";
import { createWorkers, type Workers } from "./webhooks/worker.ts";

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
  readonly reconciler: Reconciler | undefined;
  readonly regularReconciliation: RegularReconciliation | undefined;
}

const noParts: WebhookParts = {
  webhooks: undefined,
  inbox: undefined,
  reconciler: undefined,
  regularReconciliation: undefined,
};

const sharedStoreFix =
  "one that every process shares, such as createRedisStore({ client }) or createPostgresStore({ pool })";

const serviceFix = "the service, which lists the messages: set service: { baseUrl, apiKey }, or leave the option out";

const sameStoreFix =
  "pass the one store to both, as in { store, webhooks: { transactions: createEventTransactions({ pool, store }) } }";

/**
 * Wires the receiver of webhooks, with an inbox its workers and dead letters, and with the service's messages the reconciliation.
 *
 * @throws TypeError for a missing or wrong secret, an inbox without a store, transactions of another store, and a regular
 * reconciliation without the service
 */
export function wireWebhooks<User, Scope>(
  shared: SharedDeps,
  { webhooks, store }: DoorcodeOptions<User, Scope>,
  checked: CheckedOptions,
  login: LoginDeps | undefined,
  messages: Messages | undefined,
): WebhookParts {
  if (!webhooks || !checked.webhooks) return noParts;
  const { handlerSeconds, toleranceSeconds, limitBytes, attempts, retrySeconds, reconcileEverySeconds } =
    checked.webhooks;
  const { inbox } = webhooks;
  const secrets = readSecrets("createDoorcode", "webhooks.secret", signingSecret, webhooks.secret, shared.serviceUrl);
  refuseMissing(webhooks, store, messages);
  // Copied, so that a handler which is added or replaced later changes nothing.
  const handlers = Object.freeze({ ...webhooks.on });
  const countUndelivered = login?.sendLimits.countUndelivered;
  // With an inbox, only workers handle events.
  const deps: EventDeps<Scope> = {
    ...shared,
    transactions: webhooks.transactions,
    handlers,
    handlerSeconds,
    countUndelivered,
  };
  const receiver = inbox ? createInboxReceiver({ ...shared, inbox }) : createReceiver(deps);
  const reconciler = messages && createReconciler(messages, receiver, shared);
  return {
    webhooks: {
      clock: shared.clock,
      publish: shared.publish,
      keys: importSigningSecrets(secrets),
      toleranceSeconds,
      limitBytes,
      receiver,
    },
    reconciler,
    regularReconciliation:
      reconciler && reconcileEverySeconds ? reconcileRegularly(shared, reconciler, reconcileEverySeconds) : undefined,
    inbox: inbox && {
      inbox,
      deadLetters: createDeadLetters(inbox),
      workers: createWorkers({ ...deps, inbox, attempts, retrySeconds }),
    },
  };
}

/** Refuses options that need others. */
function refuseMissing<Scope>(
  { inbox, transactions, reconcileEverySeconds }: WebhookOptions<Scope>,
  store: Store | undefined,
  messages: Messages | undefined,
): void {
  // With the memory of one process, another process would handle the same event again.
  if (inbox && !store) throw new TypeError(`createDoorcode: webhooks.inbox needs a store: ${sharedStoreFix}.`);
  if (transactions && transactions.store !== store) {
    throw new TypeError(`createDoorcode: webhooks.transactions marks events in another store: ${sameStoreFix}.`);
  }
  if (reconcileEverySeconds !== undefined && !messages) {
    throw new TypeError(`createDoorcode: webhooks.reconcileEverySeconds needs ${serviceFix}.`);
  }
}
