import { renderPhoneLogin } from "@doorcode/browser/server";
import type { Doorcode } from "@doorcode/core";
import { phoneLogin, requireLogin } from "@doorcode/express";
import type { Express } from "express";
import { backToAccount, loginPage } from "../express-login/pages.ts";
import type { AccountUsers } from "./users.ts";

/** Adds the deletion of the account, for which the number must have been proven within five minutes. */
export function mountDeletion(app: Express, doorcode: Doorcode, users: AccountUsers): void {
  const stepUp = phoneLogin(doorcode, { purpose: "step_up", forms: { page: "/step-up", done: "/account" } });
  app.get("/step-up", requireLogin(doorcode, { loginPage: "/login" }), async (req, res) => {
    const state = await stepUp.state(req);
    const form = { state, offer: stepUp.offer, basePath: "/step-up", purpose: "step_up", query: req.query } as const;
    res.send(loginPage("Is it you?", renderPhoneLogin(form) + backToAccount));
  });
  app.use("/step-up", stepUp);

  const guard = requireLogin(doorcode, { loginPage: "/login", stepUpPage: "/step-up", provenWithinSeconds: 300 });
  app.get("/account/delete", guard, (_req, res) => {
    res.send(
      loginPage(
        "Delete your account?",
        `<p>Its numbers and sessions go with it.</p>
        <form method="post" action="/account/delete"><button class="danger">Delete it</button></form>
        <p><a href="/account">Keep it</a></p>`,
      ),
    );
  });
  app.post("/account/delete", guard, async (req, res) => {
    const { userId } = req.doorcode;
    users.remove(userId);
    await doorcode.session.endAll(userId);
    res.redirect(303, "/login");
  });
}

/** Renders the way to the deletion. */
export const deletionSection = `<section><h2>Delete your account</h2>
  <p><small>You will be asked for a code if you have not entered one within five minutes.</small></p>
  <a class="button" href="/account/delete">Delete …</a></section>`;
