import { Field, type Html, Logo } from "@doorcode/operations/page-parts";
import { type Context, Hono } from "hono";
import { getCookie, setCookie } from "hono/cookie";
import { raw } from "hono/html";
import { Refusal } from "../primitives/errors.ts";
import { isSameSecret, randomSecret } from "../primitives/secrets.ts";
import { findAsset } from "./assets.ts";
import { SubmitButton } from "./components/controls.tsx";
import { Head } from "./layout/document.tsx";
import { createNonce, pageOfForm, readForm } from "./request/page-request.tsx";

/**
 * Creates the login, and the check that guards every route after it. Only the API of the service passes, because it has its own
 * keys. The token comes in the Authorization header, or as the cookie of a login.
 *
 * @throws Refusal `auth.invalid_token` for a request to the control API, to MCP, to the live updates or for a file of the page
 */
export function createLogin(token: string): Hono {
  // Valid until the sandbox closes. It reveals nothing about the token, because browsers send a cookie to every port of a
  // host, also to other servers.
  const cookieValue = randomSecret();
  const isGranted = (c: Context) => {
    const [, given] = /^Bearer +(\S+)$/i.exec(c.req.header("authorization") ?? "") ?? [];
    return isSameSecret(given, token) || isSameSecret(getCookie(c, cookieName(c)), cookieValue);
  };
  return new Hono()
    .post("/login", async (c) => {
      const form = await readForm(c);
      if (!isSameSecret(form.text("token"), token)) return askForToken(c, "This token is incorrect.");
      setCookie(c, cookieName(c), cookieValue, { httpOnly: true, sameSite: "Strict", path: "/" });
      return c.redirect(pageOfForm(c), 303);
    })
    .use(async (c, next) => {
      if (c.req.path.startsWith("/v1/") || isGranted(c)) return next();
      if (!/^\/(_sandbox\/|mcp)/.test(c.req.path)) return askForToken(c);
      c.header("www-authenticate", "Bearer");
      throw new Refusal("auth.invalid_token", "Send the sandbox's token as Authorization: Bearer TOKEN.");
    })
    .get("/login", (c) => c.redirect("/", 303));
}

/** Sandboxes on several ports of one host must not overwrite each other's cookie. */
function cookieName(c: Context): string {
  return `doorcode-sandbox-${new URL(c.req.url).port || 80}`;
}

function askForToken(c: Context, problem?: string): Response | Promise<Response> {
  const nonce = createNonce(c);
  c.header("www-authenticate", "Bearer");
  return c.html(loginDocument(nonce, problem), 401);
}

/** Returns the HTML document that asks for the token. It loads no file, because files need the token as well. */
function loginDocument(nonce: string, problem: string | undefined): Html {
  const hint = "The value of DOORCODE_SANDBOX_TOKEN or --token with which the sandbox was started.";
  return (
    <>
      {raw("<!doctype html>")}
      <html lang="en">
        <Head title="Log in · Doorcode sandbox">
          <style nonce={nonce}>{raw(findAsset("style.css")?.body ?? "")}</style>
        </Head>
        <body data-login>
          <main class="login">
            <Logo />
            <h1>Doorcode sandbox</h1>
            {problem !== undefined && (
              <p class="problem" role="alert">
                {problem}
              </p>
            )}
            <form method="post" action="/login">
              <Field label="Token" hint={hint}>
                <input type="password" name="token" required autofocus autocomplete="current-password" />
              </Field>
              <SubmitButton label="Log in" look="primary" />
            </form>
          </main>
        </body>
      </html>
    </>
  );
}
