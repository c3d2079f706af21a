import type { Child } from "hono/jsx";
import { address } from "../address.ts";
import type { Html } from "../html.ts";

/** The tabs of the portal, the first of which has no name of its own in the address. */
export const portalTabs = [
  ["application", "Application"],
  ["endpoints", "Webhook endpoints"],
  ["messaging", "Senders & templates"],
  ["numbers", "Test numbers"],
  ["dialect", "Dialect & settings"],
  ["usage", "Usage"],
  ["account", "Account"],
] as const;

/** A tab of the portal. */
export type PortalTab = (typeof portalTabs)[number][0];

/** What {@link Portal} shows. */
export interface PortalProps {
  readonly applicationId: string;
  readonly tab: PortalTab;
  readonly children: Child;
}

/** The portal, at one of its tabs. */
export function Portal({ applicationId, tab, children }: PortalProps): Html {
  return (
    <>
      <div class="view-head">
        <h1>Portal</h1>
      </div>
      <nav class="tabs" aria-label="Portal">
        {portalTabs.map(([name, label]) => (
          <a href={tabAddress(applicationId, name)} aria-current={name === tab ? "page" : undefined} id={`tab-${name}`}>
            {label}
          </a>
        ))}
      </nav>
      {children}
    </>
  );
}

function tabAddress(applicationId: string, tab: PortalTab): string {
  return tab === "application" ? address(applicationId, "portal") : address(applicationId, "portal", tab);
}
