import { renderPhoneLogin } from "@doorcode/browser/server";
import { phoneLogin, requireLogin } from "@doorcode/express";
import type { Express } from "express";
import { backToAccount, escapeHtml, loginPage } from "../express-login/pages.ts";
import { type Kit, recentProof } from "./kit.ts";

const page = "/number";
const lastWayIn = "This number is the last way into your account. Create a passkey before you remove it.";

/** Adds the page of the user's number, which can be removed by a user who has a passkey, and added again. */
export function mountNumber(app: Express, { doorcode, accounts }: Kit): void {
  const link = phoneLogin(doorcode, { purpose: "link", forms: { page, done: "/account" } });
  app.get(page, requireLogin(doorcode, recentProof), async (req, res) => {
    const phone = accounts.get(req.doorcode.userId)?.phone;
    const isLast = req.query.problem === "last_way_in";
    const refusal = isLast ? `<p role="alert">${lastWayIn}</p>` : "";
    const form = { offer: link.offer, basePath: page, purpose: "link", query: isLast ? {} : req.query } as const;
    const content = phone
      ? removalForm(phone)
      : renderPhoneLogin({ ...form, state: await link.state(req), done: "/account" });
    res.send(loginPage("Your number", refusal + content + backToAccount));
  });
  app.use(page, link);
}

function removalForm(phone: string): string {
  return `<p>${escapeHtml(phone)}</p>
    <form method="post" action="${page}/remove"><input type="hidden" name="phone" value="${escapeHtml(phone)}">
    <button class="danger">Remove the number</button></form>`;
}
