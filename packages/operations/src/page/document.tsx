import { maskDigits } from "@doorcode/core/adapter";
import { raw } from "hono/html";
import type { Child } from "hono/jsx";
import { viewUrl } from "../page-context.ts";
import { type Html, Icon, Logo, logoUrl, nothing } from "../page-parts.ts";
import { type Badges, type ViewName, views } from "./navigation.ts";

/** What a document shows. */
export interface DocumentProps {
  /** The path of the mount, as the browser sees it. */
  readonly basePath: string;
  /** The view in the navigation. */
  readonly view: ViewName;
  readonly title: string;
  readonly operator: string;
  readonly badges: Badges;
  /** True for a view that the script loads again; false for a question or an outcome. */
  readonly isLive: boolean;
  readonly children: Child;
}

function Badge({ mark, word }: Partial<NonNullable<Badges[ViewName]>>): Html {
  if (!mark) return nothing;
  return (
    <span class="badge warn">
      {mark} <span class="word">{word}</span>
    </span>
  );
}

function Sidebar({
  basePath,
  view,
  badges,
  isLive,
}: Pick<DocumentProps, "basePath" | "view" | "badges" | "isLive">): Html {
  return (
    <header class="sidebar">
      <a class="brand" href={viewUrl({ basePath }, "overview")} aria-label="Doorcode operations: overview">
        <Logo />
        <span>
          Doorcode <small>operations</small>
        </span>
      </a>
      <nav aria-label="Views">
        <ul>
          {views.map(([name, label, icon]) => (
            <li>
              <a href={viewUrl({ basePath }, name)} aria-current={name === view ? "page" : undefined}>
                <Icon name={icon} />
                <span class="label">{label}</span>
                <Badge {...badges[name]} />
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <div class="sidebar-foot">
        {isLive && (
          <p id="live" role="status">
            Not live without scripts
          </p>
        )}
      </div>
    </header>
  );
}

/** Returns the HTML document: a view in its layout. It refers to nothing on other servers. */
export function pageDocument({ basePath, view, title, operator, badges, isLive, children }: DocumentProps): Html {
  return (
    <>
      {raw("<!doctype html>")}
      <html lang="en">
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover" />
          <meta name="color-scheme" content="light dark" />
          <title>{`${title} · Doorcode operations`}</title>
          <link rel="icon" href={logoUrl} />
          <link rel="stylesheet" href={`${basePath}/style.css`} />
          <script type="module" src={`${basePath}/live.js`}></script>
        </head>
        <body data-live={isLive ? "" : undefined}>
          <a class="skip" href="#main">
            Skip to content
          </a>
          <Sidebar {...{ basePath, view, badges, isLive }} />
          <div class="page">
            <main id="main" tabindex={-1}>
              {children}
              <p class="soft signed">
                You act as <strong>{maskDigits(operator)}</strong>. Times are UTC.
              </p>
            </main>
          </div>
        </body>
      </html>
    </>
  );
}
