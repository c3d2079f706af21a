import type { Delivery } from "../../state/delivery.ts";
import type { Html } from "./html.ts";
import { Icon, type IconName } from "./icon.tsx";

/** The tone of a status: it determines the colour and the icon. */
export type Tone = "good" | "bad" | "warn" | "busy" | "quiet";

const icons: Readonly<Record<Tone, IconName>> = {
  good: "check",
  bad: "cross",
  warn: "warning",
  busy: "send",
  quiet: "dots",
};

/** The properties of {@link Status}. */
export interface StatusProps {
  /** The tone. */
  readonly tone: Tone;
  /** The status in one word. */
  readonly children: string;
}

/** Shows a status with an icon, so that it does not depend on the colour alone. */
export function Status({ tone, children }: StatusProps): Html {
  return (
    <span class={`status ${tone}`}>
      <Icon name={icons[tone]} />
      {children}
    </span>
  );
}

const tones: Readonly<Record<string, Tone>> = {
  SENT: "busy",
  DELIVERED: "good",
  FAILED: "bad",
  PENDING: "busy",
  APPROVED: "good",
  EXPIRED: "warn",
};

/** Returns the tone of a status of a message or a verification. */
export function toneOf(status: string): Tone {
  return tones[status] ?? "quiet";
}

/** Formats a status of the API: `DELIVERED` becomes `Delivered`. */
export function statusText(status: string): string {
  return status.charAt(0) + status.slice(1).toLowerCase();
}

const deliveryTexts: Readonly<Record<string, string>> = {
  pending: "In progress",
  delivered: "Acknowledged",
  failed: "Given up",
} satisfies Record<Delivery["status"], string>;

/** Returns the label of a delivery's status. It differs from the statuses of messages, such as `DELIVERED`. */
export function deliveryStatusText(status: string): string {
  return deliveryTexts[status] ?? status;
}
