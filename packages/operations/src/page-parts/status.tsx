import type { Html } from "./elements.tsx";
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

/** Shows a status with an icon, so that it does not depend on the colour alone. */
export function Status({ tone, children }: { readonly tone: Tone; readonly children: string }): Html {
  return (
    <span class={`status ${tone}`}>
      <Icon name={icons[tone]} />
      {children}
    </span>
  );
}
