import type { ActiveSession, Doorcode } from "@doorcode/core";
import { requireLogin } from "@doorcode/express";
import type { Express } from "express";
import { escapeHtml } from "../express-login/pages.ts";

/** Adds "log out everywhere else". The cookie of the session is not sent from pages of other sites. */
export function mountSessions(app: Express, doorcode: Doorcode): void {
  app.post("/account/end-others", requireLogin(doorcode), async (req, res) => {
    await doorcode.session.endOthers(req);
    res.redirect(303, "/account");
  });
}

/** Renders the user's sessions, the newest first. */
export function sessionsSection(sessions: readonly ActiveSession[], ownId: string): string {
  const rows = sessions.map(({ sessionId, label = "A browser", lastUsedAt }) => {
    const used = sessionId === ownId ? "this browser" : `last used ${new Date(lastUsedAt).toISOString().slice(0, 16)}Z`;
    return `<li>${escapeHtml(label)} <small>${used}</small></li>`;
  });
  const endOthers = `<form method="post" action="/account/end-others"><button>Log out everywhere else</button></form>`;
  return `<section><h2>Where you are logged in</h2><ul>${rows.join("")}</ul>${sessions.length > 1 ? endOthers : ""}</section>`;
}
