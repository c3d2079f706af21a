import { phoneLoginScript, phoneLoginStyle, renderPhoneLogin } from "@doorcode/browser/server";
import { phoneLogin, requireLogin, webhooks } from "@doorcode/fetch";
import { getConnInfo } from "@hono/node-server/conninfo";
import { Hono } from "hono";
import { html, raw } from "hono/html";
import { createKit } from "./kit.ts";

/** Creates the Hono app of the example. */
export function createApp(env: NodeJS.ProcessEnv = process.env): Hono {
  const doorcode = createKit(env);
  const login = phoneLogin(doorcode, { basePath: "/login", forms: { page: "/login", done: "/account" } });
  const deliver = webhooks(doorcode, { basePath: "/webhooks" });
  const guard = requireLogin(doorcode, { loginPage: "/login" });
  const app = new Hono();

  app.post("/webhooks", async (c) => (await deliver(c.req.raw)) ?? c.notFound());
  app.get("/phone-login.js", (c) => c.body(phoneLoginScript, 200, { "content-type": "text/javascript" }));
  app.get("/phone-login.css", (c) => c.body(phoneLoginStyle, 200, { "content-type": "text/css" }));

  app.get("/login", async (c) => {
    const state = await login.state(c.req.raw);
    if (state.status === "logged_in") return c.redirect("/account");
    const form = { state, offer: login.offer, basePath: "/login", query: c.req.query(), done: "/account" };
    return c.html(page("Log in", raw(renderPhoneLogin(form))));
  });
  app.all("/login/*", async (c) => {
    const answer = await login(c.req.raw, { remoteAddress: getConnInfo(c).remote.address });
    // `newResponse` keeps the headers and cookies that other middleware has set.
    return answer ? c.newResponse(answer.body, answer) : c.notFound();
  });

  app.get("/account", async (c) => {
    const result = await guard(c.req.raw);
    if ("response" in result) return result.response;
    const logout = html`<form method="post" action="/login/logout"><button>Log out</button></form>`;
    return c.html(page("Your account", html`<p>You are logged in as ${result.session.userId}.</p>${logout}`));
  });
  return app;
}

function page(title: string, content: unknown) {
  return html`<!doctype html>
    <html lang="en">
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <title>${title}</title>
      <link rel="stylesheet" href="/phone-login.css">
      <script type="module" src="/phone-login.js"></script>
      <main><h1>${title}</h1>${content}</main>
    </html>`;
}
