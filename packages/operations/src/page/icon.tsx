import { raw } from "hono/html";
import type { Html } from "./elements.tsx";

/** Outlines on a grid of 24 × 24, with a stroke of 2. */
const outlines = {
  overview: "M4 19.5h16M6.5 16v-4.5M11 16V7M15.5 16v-6.5M20 16V5",
  limits: "M5 18.5a8.5 8.5 0 1 1 14 0M12 14l3.6-5M12 15.4h.01",
  webhooks:
    "M8.6 10.2a4 4 0 1 1 6.7-2.6L12 7.6M12 7.6 8.4 14a3.6 3.6 0 1 0 1.2 4.6h5.2M15.2 12.2l-2.6-4.6M14.4 13a3.8 3.8 0 1 1 .6 6.6",
  "dead-letters": "M12 4 2.8 19.5h18.4zM12 10v4.5M12 17v.01",
  store: "M5 6.5c0-4 14-4 14 0v11c0 4-14 4-14 0zM5 6.5c0 4 14 4 14 0M5 12c0 4 14 4 14 0",
  users: "M12 4.5a3.7 3.7 0 1 0 0 7.4 3.7 3.7 0 0 0 0-7.4zM4.8 20c.5-3.8 3.4-5.6 7.2-5.6s6.7 1.8 7.2 5.6",
  activity: "M12 4.5a7.5 7.5 0 1 1-7.2 5.4M4.5 5v5h5M12 8.5V12l2.6 2",
  check: "M5 12.5l4.5 4.5L19 7.5",
  cross: "M6.5 6.5l11 11M17.5 6.5l-11 11",
  warning: "M12 4 2.8 19.5h18.4zM12 10v4.5M12 17v.01",
  dots: "M5.5 12h.01M12 12h.01M18.5 12h.01",
} as const;

/** The name of an icon. */
export type IconName = keyof typeof outlines;

/** Shows an icon. It is hidden from screen readers, so text must stand beside it. */
export function Icon({ name }: { readonly name: IconName }): Html {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
      <path d={outlines[name]} />
    </svg>
  );
}

/** The tone of a status: it determines the colour and the icon. */
export type Tone = "good" | "bad" | "warn" | "quiet";

const icons: Readonly<Record<Tone, IconName>> = { good: "check", bad: "cross", warn: "warning", quiet: "dots" };

/** Shows a status with an icon, so that it does not depend on the colour alone. */
export function Status({ tone, children }: { readonly tone: Tone; readonly children: string }): Html {
  return (
    <span class={`status ${tone}`}>
      <Icon name={icons[tone]} />
      {children}
    </span>
  );
}

const logoDrawing =
  '<rect width="32" height="32" rx="9" fill="#4453d6"/>' +
  '<path d="M10 7.5h12a2 2 0 0 1 2 2v12a2 2 0 0 1-2 2h-6l-4.2 3.4a.5.5 0 0 1-.8-.4v-3h-1a2 2 0 0 1-2-2v-12a2 2 0 0 1 2-2z" fill="#fff"/>' +
  '<circle cx="12.4" cy="15.5" r="1.6" fill="#4453d6"/><circle cx="16.4" cy="15.5" r="1.6" fill="#4453d6" opacity=".65"/>' +
  '<circle cx="20.4" cy="15.5" r="1.6" fill="#4453d6" opacity=".35"/>';

/** Shows the logo: a door in the form of a speech bubble. */
export function Logo(): Html {
  return (
    <svg class="logo" viewBox="0 0 32 32" aria-hidden="true">
      {raw(logoDrawing)}
    </svg>
  );
}

/** The logo as a data URL. */
export const logoUrl: string = `data:image/svg+xml,${encodeURIComponent(
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">${logoDrawing}</svg>`,
)}`;
