import type { Clock } from "@doorcode/core";
import type { Agenda } from "../agenda.ts";
import type { Settings } from "../settings.ts";
import type { Channel } from "../state/message.ts";
import type { State } from "../state/state.ts";
import type { WebhookEvent } from "../wire/events.ts";
import type { Fate } from "./handset.ts";

/** What every act of the service works with. */
export interface Service {
  readonly state: State;
  readonly clock: Clock;
  readonly agenda: Agenda;
  readonly settings: Settings;
  /** What becomes of a message once it is sent. */
  readonly fateOf: (to: string, channel: Channel) => Fate;
  /** Sends an event to whom its request or its application names. */
  readonly publish: (event: WebhookEvent) => void;
}
