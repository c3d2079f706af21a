import { renderPhoneLogin } from "@doorcode/browser/server";
import { type Doorcode, type LoginOptions, problemTitle } from "@doorcode/core";
import { phoneLogin, requireLogin } from "@doorcode/express";
import type { Express } from "express";
import { backToAccount, escapeHtml, loginPage } from "../express-login/pages.ts";
import type { AccountUsers } from "./users.ts";

const page = "/second-number";

/** Returns the callbacks of `link` and `step_up`: whose number is whose. */
export function secondNumber(users: AccountUsers): Pick<LoginOptions, "onLink" | "onRemove" | "phoneOf"> {
  return {
    onLink: ({ userId, phone }) => (users.addPhone(userId, phone) ? userId : undefined),
    onRemove: ({ userId, phone }) => users.removePhone(userId, phone),
    phoneOf: (userId) => users.get(userId)?.phone,
  };
}

/** Adds the page that adds and removes numbers. It asks for a recent proof, as the kit does. */
export function mountSecondNumber(app: Express, doorcode: Doorcode, users: AccountUsers): void {
  const link = phoneLogin(doorcode, { purpose: "link", forms: { page, done: "/account" } });
  const guard = requireLogin(doorcode, { loginPage: "/login", stepUpPage: "/step-up", provenWithinSeconds: 900 });
  app.get(page, guard, async (req, res) => {
    const phones = users.phonesOf(req.doorcode.userId);
    const isLast = req.query.problem === "last_way_in";
    const refusal = isLast ? `<p role="alert">${problemTitle("last_way_in")}</p>` : "";
    const form = {
      state: await link.state(req),
      offer: link.offer,
      basePath: page,
      purpose: "link",
      query: isLast ? {} : req.query,
      done: "/account",
    } as const;
    const addition = phones.length === 1 ? renderPhoneLogin(form) : "";
    res.send(loginPage("Your numbers", refusal + addition + removalForms(phones) + backToAccount));
  });
  app.use(page, link);
}

function removalForms(phones: readonly string[]): string {
  const forms = phones.map(
    (
      phone,
    ) => `<form method="post" action="${page}/remove"><input type="hidden" name="phone" value="${escapeHtml(phone)}">
      <button>Remove ${escapeHtml(phone)}</button></form>`,
  );
  return forms.join("");
}

/** Renders the numbers of the account. */
export function secondNumberSection(phones: readonly string[]): string {
  const rows = phones.map((phone) => `<li>${escapeHtml(phone)}</li>`);
  const change = phones.length === 1 ? "Add a second number" : "Remove a number";
  return `<section><h2>Your numbers</h2><ul>${rows.join("")}</ul><a class="button" href="${page}">${change}</a></section>`;
}
