import { type Context, Hono } from "hono";
import { withQuery } from "../../page/address.ts";
import { findAsset } from "../../page/assets.ts";
import { assetsPath } from "../../page/frame/document.tsx";
import { Refusal } from "../../refusal.ts";
import { SandboxError } from "../../sandbox-error.ts";
import type { AppParts } from "../app-parts.ts";
import { refuse } from "../refuse.ts";
import { createPageAccountActs } from "./account-acts.ts";
import { createPageApplicationActs } from "./application-acts.ts";
import { createPageConfigurationActs } from "./configuration-acts.ts";
import { createPageDesk, type PageDesk } from "./desk.ts";
import { createPageInboxActs } from "./inbox-acts.ts";
import { createPagePortal } from "./portal.tsx";
import { createPageTimeActs } from "./time-acts.ts";
import { createPageViews } from "./views.tsx";

/**
 * The page: inbox, verifications, webhooks, portal, clock and faults of each application. Each view has its address, and
 * each act is a form that is answered with the address to go on at, so that it works without scripts too.
 */
export function createPage(parts: AppParts): Hono {
  const desk = createPageDesk(parts);
  return new Hono()
    .onError((error, c) => leadHome(error, c, desk))
    .get(`${assetsPath}/:name`, (c) => {
      const asset = findAsset(c.req.param("name"));
      if (!asset) throw new Refusal("request.not_found", "There is nothing here.");
      return c.body(asset.body, 200, { "content-type": `${asset.type}; charset=utf-8` });
    })
    .route("/", createPageViews(desk))
    .route("/", createPagePortal(desk))
    .route("/", createPageInboxActs(desk))
    .route("/", createPageTimeActs(desk))
    .route("/", createPageApplicationActs(desk))
    .route("/", createPageConfigurationActs(desk))
    .route("/", createPageAccountActs(desk));
}

/** Whoever looks at an application that was removed is led to the default one; any other refusal stays what it is. */
function leadHome(error: unknown, c: Context, desk: PageDesk): Response {
  const isGone = error instanceof SandboxError && error.code === "application_unknown";
  if (!isGone || c.req.method !== "GET") return refuse(error, c);
  const flash = desk.notices.keep({ kind: "problem", text: "This application is not there any more." });
  return c.redirect(withQuery("/", { flash }), 303);
}
