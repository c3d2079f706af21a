import type { LoginEvent } from "./login/login-event.ts";
import type { StoreEvent } from "./store/checked-store.ts";
import type { WebhookDeliveryEvent } from "./webhooks/delivery-event.ts";

/**
 * An event of the kit, as `onEvent` and the diagnostics channel `doorcode` receive it.
 *
 * The kit puts no secret, no code and no full phone number into an event. An `error` that a callback of the app threw is
 * passed on unchanged.
 */
export type DoorcodeEvent = LoginEvent | WebhookDeliveryEvent | StoreEvent;
