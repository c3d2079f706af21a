import { raw } from "hono/html";
import type { Child } from "hono/jsx";
import type { Html } from "../components/html.ts";
import { logoUrl } from "../components/icon.tsx";
import { Banner } from "./banner.tsx";
import { ConfirmDialog, HelpDialog } from "./dialogs.tsx";
import type { LayoutData } from "./layout-data.ts";
import { NoticeBox } from "./notice.tsx";
import { Sidebar } from "./sidebar.tsx";

/** The properties of {@link Document}. */
export interface DocumentProps {
  /** The data of the layout. */
  readonly layout: LayoutData;
  /** The nonce of the content security policy. */
  readonly nonce: string;
  /** The view. */
  readonly children: Child;
}

/** The path of the style sheet and the scripts. */
export const assetsPath = "/_sandbox/page";

/** The HTML document: a view in its layout. It refers to nothing on other servers. */
export function Document({ layout, nonce, children }: DocumentProps): Html {
  const { application, section, clock } = layout;
  return (
    <>
      {raw("<!doctype html>")}
      <html lang="en">
        <Head title={`${layout.title} · ${application.name}`} nonce={nonce} />
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
          <Sidebar layout={layout} />
          <div class="page">
            <Banner layout={layout} />
            <NoticeBox notice={layout.notice} />
            <main id="main" tabindex={-1} class={`view-${section}`}>
              {children}
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

function Head({ title, nonce }: { readonly title: string; readonly nonce: string }): Html {
  const imports = JSON.stringify({ imports: { idiomorph: `${assetsPath}/idiomorph.js` } });
  return (
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover" />
      <meta name="color-scheme" content="light dark" />
      {/* With no-referrer, browsers would send the Origin "null" with forms. Other sites still get no referrer. */}
      <meta name="referrer" content="same-origin" />
      <title>{title}</title>
      <link rel="icon" href={logoUrl} />
      <link rel="stylesheet" href={`${assetsPath}/style.css`} nonce={nonce} />
      <script type="importmap" nonce={nonce}>
        {raw(imports)}
      </script>
      <script type="module" src={`${assetsPath}/main.js`} nonce={nonce}></script>
    </head>
  );
}
