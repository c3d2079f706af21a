import { raw } from "hono/html";
import type { Html } from "./elements.tsx";

/** Outlines on a grid of 24 × 24, with a stroke of 2. */
const outlines = {
  overview: "M4 19.5h16M6.5 16v-4.5M11 16V7M15.5 16v-6.5M20 16V5",
  store: "M5 6.5c0-4 14-4 14 0v11c0 4-14 4-14 0zM5 6.5c0 4 14 4 14 0M5 12c0 4 14 4 14 0",
  users: "M12 4.5a3.7 3.7 0 1 0 0 7.4 3.7 3.7 0 0 0 0-7.4zM4.8 20c.5-3.8 3.4-5.6 7.2-5.6s6.7 1.8 7.2 5.6",
  activity: "M12 4.5a7.5 7.5 0 1 1-7.2 5.4M4.5 5v5h5M12 8.5V12l2.6 2",
  inbox:
    "M4 13.5 6.6 5.4A2 2 0 0 1 8.5 4h7a2 2 0 0 1 1.9 1.4L20 13.5V18a2 2 0 0 1-2 2H6a2 2 0 0 1-2-2zM4 14h4.5a1 1 0 0 1 1 1 2.5 2.5 0 0 0 5 0 1 1 0 0 1 1-1H20",
  shield: "M12 3.2 5 5.8v5.4c0 4.4 2.9 7.9 7 9.6 4.1-1.7 7-5.2 7-9.6V5.8zM9 12l2.2 2.2L15.2 10",
  webhook:
    "M8.6 10.2a4 4 0 1 1 6.7-2.6L12 7.6M12 7.6 8.4 14a3.6 3.6 0 1 0 1.2 4.6h5.2M15.2 12.2l-2.6-4.6M14.4 13a3.8 3.8 0 1 1 .6 6.6",
  request: "M4 8.5h13.5M13.5 4.5l4 4-4 4M20 15.5H6.5M10.5 11.5l-4 4 4 4",
  portal: "M4 6.5h9M17 6.5h3M4 12h3M11 12h9M4 17.5h9M17 17.5h3M15 4.5v4M9 10v4M15 15.5v4",
  clock: "M12 3.5a8.5 8.5 0 1 0 0 17 8.5 8.5 0 0 0 0-17zM12 7.5V12l3 2",
  gauge: "M5 18.5a8.5 8.5 0 1 1 14 0M12 14l3.6-5M12 15.4h.01",
  copy: "M9 9h9a2 2 0 0 1 2 2v7a2 2 0 0 1-2 2h-9a2 2 0 0 1-2-2V9zM5 15a1.6 1.6 0 0 1-1-1.5V6a2 2 0 0 1 2-2h7.5A1.6 1.6 0 0 1 15 5",
  check: "M5 12.5l4.5 4.5L19 7.5",
  cross: "M6.5 6.5l11 11M17.5 6.5l-11 11",
  dots: "M5.5 12h.01M12 12h.01M18.5 12h.01",
  send: "M20.5 3.5 3.8 9.6l6.6 4 4 6.6zM10.4 13.6l4.2-4.2",
  search: "M10.8 4a6.8 6.8 0 1 0 0 13.6 6.8 6.8 0 0 0 0-13.6zM15.8 15.8 20 20",
  trash:
    "M4.5 6.5h15M9.5 6V4.5h5V6M6.5 6.5l.8 12a1.6 1.6 0 0 0 1.6 1.5h6.2a1.6 1.6 0 0 0 1.6-1.5l.8-12M10 10.5v5.5M14 10.5v5.5",
  back: "M14.5 5.5 8 12l6.5 6.5",
  next: "M9.5 5.5 16 12l-6.5 6.5",
  down: "M6 9.5l6 6 6-6",
  warning: "M12 4 2.8 19.5h18.4zM12 10v4.5M12 17v.01",
  bolt: "M13 3 5 13.5h6L10.5 21 19 10h-6z",
  phone:
    "M8 3h8a1.8 1.8 0 0 1 1.8 1.8v14.4A1.8 1.8 0 0 1 16 21H8a1.8 1.8 0 0 1-1.8-1.8V4.8A1.8 1.8 0 0 1 8 3zM10.8 17.8h2.4",
  call: "M6.5 4h2.6l1.5 4-2 1.6a11 11 0 0 0 5.8 5.8l1.6-2 4 1.5v2.6a2 2 0 0 1-2.1 2A15.5 15.5 0 0 1 4.5 6.1 2 2 0 0 1 6.5 4z",
  again: "M20 5v5h-5M4 19v-5h5M5.5 9.5A7.5 7.5 0 0 1 18.6 7L20 10M18.5 14.5A7.5 7.5 0 0 1 5.4 17L4 14",
  snow: "M12 3.5v17M4.6 7.8l14.8 8.4M19.4 7.8 4.6 16.2",
  help: "M9.4 9.2a2.7 2.7 0 1 1 3.8 2.5c-.8.4-1.2 1-1.2 1.9M12 17v.01M12 3.5a8.5 8.5 0 1 0 0 17 8.5 8.5 0 0 0 0-17z",
  eye: "M2.8 12S6 5.8 12 5.8 21.2 12 21.2 12 18 18.2 12 18.2 2.8 12 2.8 12zM12 9.4a2.6 2.6 0 1 0 0 5.2 2.6 2.6 0 0 0 0-5.2z",
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

/** Shows the logo: a door in the form of a speech bubble. */
export function Logo(): Html {
  return (
    <svg class="logo" viewBox="0 0 32 32" aria-hidden="true">
      {raw(logoDrawing)}
    </svg>
  );
}

const logoDrawing =
  '<rect width="32" height="32" rx="9" fill="#4453d6"/>' +
  '<path d="M10 7.5h12a2 2 0 0 1 2 2v12a2 2 0 0 1-2 2h-6l-4.2 3.4a.5.5 0 0 1-.8-.4v-3h-1a2 2 0 0 1-2-2v-12a2 2 0 0 1 2-2z" fill="#fff"/>' +
  '<circle cx="12.4" cy="15.5" r="1.6" fill="#4453d6"/><circle cx="16.4" cy="15.5" r="1.6" fill="#4453d6" opacity=".65"/>' +
  '<circle cx="20.4" cy="15.5" r="1.6" fill="#4453d6" opacity=".35"/>';

/** The logo as a data URL. */
export const logoUrl: string = `data:image/svg+xml,${encodeURIComponent(
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">${logoDrawing}</svg>`,
)}`;
