import { requireLogin } from "@doorcode/express";
import type { Express } from "express";
import type { Kit } from "../express-login/kit.ts";
import { accountPage } from "../express-login/pages.ts";
import { deletionSection, mountDeletion } from "./deletion.ts";
import { mountSecondNumber, secondNumberSection } from "./second-number.ts";
import { mountSessions, sessionsSection } from "./sessions.ts";
import type { AccountUsers } from "./users.ts";

/** Adds the account page, and what can be done there. */
export function mountAccount(app: Express, { doorcode, handled }: Kit, users: AccountUsers): void {
  app.get("/account", requireLogin(doorcode, { loginPage: "/login" }), async (req, res) => {
    const { user, sessionId } = req.doorcode;
    const sessions = await doorcode.session.list(user.id);
    const sections = [
      secondNumberSection(users.phonesOf(user.id)),
      sessionsSection(sessions, sessionId),
      deletionSection,
    ];
    res.send(accountPage(user, handled, sections.join("")));
  });
  mountSessions(app, doorcode);
  mountSecondNumber(app, doorcode, users);
  mountDeletion(app, doorcode, users);
}
