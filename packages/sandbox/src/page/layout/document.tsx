import { type Html, Icon, logoUrl, nothing, PostButton } from "@doorcode/operations/page-parts";
import { raw } from "hono/html";
import type { Child } from "hono/jsx";
import { isoInstant } from "../../state/record.ts";
import { durationText } from "../browser/time-text.ts";
import { CopyBlock } from "../components/controls.tsx";
import { applicationPath } from "../components/paths.ts";
import { Instant } from "../components/status.tsx";
import type { ClockState, LayoutData, Notice } from "./layout-data.ts";
import { Sidebar } from "./sidebar.tsx";

/** The path of the style sheet and the scripts. */
export const assetsPath = "/_sandbox/page";

/** Returns the HTML document: a view in its layout. It refers to nothing on other servers. */
export function pageDocument(layout: LayoutData, nonce: string, view: Child): Html {
  const { application, section, clock } = layout;
  return (
    <>
      {raw("<!doctype html>")}
      <html lang="en">
        <Head title={`${layout.title} · ${application.name}`}>
          <link rel="stylesheet" href={`${assetsPath}/style.css`} nonce={nonce} />
          <script type="importmap" nonce={nonce}>
            {raw(JSON.stringify({ imports: { idiomorph: `${assetsPath}/idiomorph.js` } }))}
          </script>
          <script type="module" src={`${assetsPath}/main.js`} nonce={nonce}></script>
        </Head>
        <body
          data-application={application.id}
          data-section={section}
          data-clock={clock.nowMilliseconds}
          data-rate={clock.rate}
          data-recent={JSON.stringify(layout.recent)}
        >
          <a class="skip" href="#main">
            Skip to content
          </a>
          <Sidebar {...layout} />
          <div class="page">
            <Banner {...layout} />
            {layout.notice && noticeBox(layout.notice)}
            <main id="main" tabindex={-1} class={`view-${section}`}>
              {view}
            </main>
          </div>
          <p id="announcer" class="unseen" role="status" aria-live="polite" data-own></p>
          <HelpDialog />
          <ConfirmDialog />
        </body>
      </html>
    </>
  );
}

/** The head of an HTML document. */
export function Head({ title, children }: { readonly title: string; readonly children: Child }): Html {
  return (
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover" />
      <meta name="color-scheme" content="light dark" />
      {/* With no-referrer, browsers would send the Origin "null" with forms. Other sites still get no referrer. */}
      <meta name="referrer" content="same-origin" />
      <title>{title}</title>
      <link rel="icon" href={logoUrl} />
      {children}
    </head>
  );
}

const shortcuts: readonly (readonly [keys: string, action: string])[] = [
  ["/", "Search"],
  ["j k", "Next and previous row"],
  ["Enter", "Open the row"],
  ["c", "Copy the code of the row, or the newest code"],
  ["Esc", "Back to the list"],
  ["1 … 7", "The sections, from the inbox to the limits"],
  ["?", "Show this help"],
];

/** The dialog with the keyboard shortcuts. The page's script opens it. */
function HelpDialog(): Html {
  return (
    <dialog id="help" aria-labelledby="help-title" data-own>
      <h2 id="help-title">Keyboard</h2>
      <dl class="keys">
        {shortcuts.map(([keys, action]) => (
          <div>
            <dt>{keys.split(" ").map((key) => (key === "…" ? " … " : <kbd>{key}</kbd>))}</dt>
            <dd class="soft">{action}</dd>
          </div>
        ))}
      </dl>
      <label class="check">
        <input type="checkbox" id="keys-on" checked /> Single-key shortcuts
      </label>
      <form method="dialog">
        <button type="submit" class="primary">
          Close
        </button>
      </form>
    </dialog>
  );
}

/** The dialog that asks before an action that cannot be undone. The page's script fills in the question. */
function ConfirmDialog(): Html {
  return (
    <dialog id="ask" aria-labelledby="ask-text" role="alertdialog" data-own>
      <p id="ask-text"></p>
      <form method="dialog" class="row">
        <button type="submit" value="no">
          Cancel
        </button>
        <button type="submit" value="yes" class="danger" id="ask-yes">
          Yes
        </button>
      </form>
    </dialog>
  );
}

/** Shows on every page that the clock is not real or that faults are active. */
function Banner({ application, clock, faults }: LayoutData): Html {
  if (clock.isReal && faults === 0) return nothing;
  const clockPage = applicationPath(application.id, "clock");
  const switchOff = applicationPath(application.id, "faults", "remove");
  return (
    <aside class="banner" aria-label="Unusual conditions">
      {!clock.isReal && (
        <p>
          <Icon name={clock.rate === 0 ? "snow" : "clock"} />
          <span>
            <a href={clockPage}>{clockText(clock)}</a> {clockNow(clock)}
          </span>
        </p>
      )}
      {faults > 0 && (
        <p>
          <Icon name="bolt" />
          <a href={`${clockPage}#faults`}>{faults === 1 ? "1 fault is on" : `${faults} faults are on`}</a>
          <PostButton action={switchOff} label="Switch all off" />
        </p>
      )}
    </aside>
  );
}

function clockText({ rate, nowMilliseconds, machineMilliseconds }: ClockState): string {
  if (rate === 0) return "The clock is frozen";
  if (rate !== 1) return `The clock runs ${rate} times as fast`;
  const ahead = nowMilliseconds - machineMilliseconds;
  return `The clock is ${durationText(Math.abs(ahead))} ${ahead < 0 ? "behind" : "ahead"}`;
}

/** Shows the time of the application's clock. The page's script lets it run. */
export function clockNow({ nowMilliseconds, machineMilliseconds }: ClockState): Html {
  return (
    <span class="clock-now" data-clock-now>
      <Instant at={isoInstant(nowMilliseconds)} now={machineMilliseconds} />
    </span>
  );
}

/** Shows the result of the previous form until it is closed. A secret in it is never shown again. */
function noticeBox({ kind, text, lines = [], secret }: Notice): Html {
  return (
    <div class={`notice ${kind}`} id="notice" role={kind === "problem" ? "alert" : "status"} data-stays>
      <Icon name={kind === "done" ? "check" : "warning"} />
      <div>
        <p>{text}</p>
        {lines.length > 0 && (
          <ul>
            {lines.map((line) => (
              <li>{line}</li>
            ))}
          </ul>
        )}
        {secret !== undefined && <CopyBlock text={secret} label="the secret" />}
      </div>
      <button type="button" class="bare" data-close="notice" aria-label="Close" title="Close">
        <Icon name="cross" />
      </button>
    </div>
  );
}
