import { renderPhoneLogin } from "@doorcode/browser/server";
import type { Doorcode, LoginOptions } from "@doorcode/core";
import { phoneLogin, requireLogin } from "@doorcode/express";
import type { Express } from "express";
import { backToAccount, escapeHtml, loginPage } from "../express-login/pages.ts";
import type { AccountUsers } from "./users.ts";

const page = "/second-number";

/** Returns the callbacks of `link` and `step_up`: whose number is whose. */
export function secondNumber(users: AccountUsers): Pick<LoginOptions, "onLink" | "phoneOf"> {
  return {
    onLink: ({ userId, phone }) => (users.addPhone(userId, phone) ? userId : undefined),
    phoneOf: (userId) => users.get(userId)?.phone,
  };
}

/** Adds the page for a second number. It asks for a recent proof of the first one, as the kit does. */
export function mountSecondNumber(app: Express, doorcode: Doorcode): void {
  const link = phoneLogin(doorcode, { purpose: "link", forms: { page, done: "/account" } });
  const guard = requireLogin(doorcode, { loginPage: "/login", stepUpPage: "/step-up", provenWithinSeconds: 900 });
  app.get(page, guard, async (req, res) => {
    const state = await link.state(req);
    const form = {
      state,
      offer: link.offer,
      basePath: page,
      purpose: "link",
      query: req.query,
      done: "/account",
    } as const;
    res.send(loginPage("Add a second number", renderPhoneLogin(form) + backToAccount));
  });
  app.use(page, link);
}

/** Renders the numbers of the account. */
export function secondNumberSection(phones: readonly string[]): string {
  const rows = phones.map((phone) => `<li>${escapeHtml(phone)}</li>`);
  const add = phones.length === 1 ? `<a class="button" href="${page}">Add a second number</a>` : "";
  return `<section><h2>Your numbers</h2><ul>${rows.join("")}</ul>${add}</section>`;
}
