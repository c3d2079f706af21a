import { raw } from "hono/html";
import type { Child } from "hono/jsx";
import { markAddress } from "../controls/icon.tsx";
import type { Html } from "../html.ts";
import { Banner } from "./banner.tsx";
import { AskDialog, HelpDialog } from "./dialogs.tsx";
import type { Frame } from "./frame.ts";
import { NoticeBox } from "./notice.tsx";
import { Sidebar } from "./sidebar.tsx";

/** What {@link Document} shows. */
export interface DocumentProps {
  readonly frame: Frame;
  /** The one of the page's policy. */
  readonly nonce: string;
  readonly children: Child;
}

/** Where the page's own style sheet and scripts are served. */
export const assetsPath = "/_sandbox/page";

/** The whole page: a view within its frame. It names nothing that is not on this server. */
export function Document({ frame, nonce, children }: DocumentProps): Html {
  const { application, section, clock } = frame;
  return (
    <>
      {raw("<!doctype html>")}
      <html lang="en">
        <Head title={`${frame.title} · ${application.name}`} nonce={nonce} />
        <body
          data-application={application.id}
          data-section={section}
          data-clock={clock.nowMilliseconds}
          data-rate={clock.rate}
          data-recent={JSON.stringify(frame.recent)}
        >
          <a class="skip" href="#main">
            Skip to content
          </a>
          <Sidebar frame={frame} />
          <div class="page">
            <Banner frame={frame} />
            <NoticeBox notice={frame.notice} />
            <main id="main" tabindex={-1} class={`view-${section}`}>
              {children}
            </main>
          </div>
          <p id="announcer" class="unseen" role="status" aria-live="polite" data-own></p>
          <HelpDialog />
          <AskDialog />
        </body>
      </html>
    </>
  );
}

function Head({ title, nonce }: { readonly title: string; readonly nonce: string }): Html {
  const imports = JSON.stringify({ imports: { idiomorph: `${assetsPath}/idiomorph.js` } });
  return (
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover" />
      <meta name="color-scheme" content="light dark" />
      {/* Forms need their origin told to this server; with no-referrer a browser says "null". Others hear nothing. */}
      <meta name="referrer" content="same-origin" />
      <title>{title}</title>
      <link rel="icon" href={markAddress} />
      <link rel="stylesheet" href={`${assetsPath}/style.css`} nonce={nonce} />
      <script type="importmap" nonce={nonce}>
        {raw(imports)}
      </script>
      <script type="module" src={`${assetsPath}/main.js`} nonce={nonce}></script>
    </head>
  );
}
