import { type Context, Hono } from "hono";
import type { Access } from "../../http/access.ts";
import { Refusal } from "../../primitives/refusal.ts";
import { readForm } from "../request/form.ts";
import { pageOfForm } from "../request/form-handler.ts";
import { createNonce } from "../request/render-page.tsx";
import { LoginDocument } from "./login-document.tsx";

/**
 * Creates the login, and the check that guards every route after it. Only the API of the service passes: it has keys of
 * its own.
 *
 * @throws Refusal `auth.invalid_token` for a request to the control API, to the live updates or for a file of the page
 */
export function createLogin(access: Access): Hono {
  return new Hono()
    .post("/login", async (c) => {
      const token = (await readForm(c)).text("token");
      return access.logIn(c, token ?? "") ? c.redirect(pageOfForm(c), 303) : askForToken(c, "This token is incorrect.");
    })
    .use(async (c, next) => {
      if (c.req.path.startsWith("/v1/") || access.isGranted(c)) return next();
      if (!c.req.path.startsWith("/_sandbox/")) return askForToken(c);
      c.header("www-authenticate", "Bearer");
      throw new Refusal("auth.invalid_token", "Send the sandbox's token as Authorization: Bearer TOKEN.");
    })
    .get("/login", (c) => c.redirect("/", 303));
}

function askForToken(c: Context, problem?: string): Response | Promise<Response> {
  const nonce = createNonce(c);
  c.header("www-authenticate", "Bearer");
  return c.html(<LoginDocument nonce={nonce} problem={problem} />, 401);
}
