import { raw } from "hono/html";
import { findAsset } from "../assets.ts";
import { Field, SubmitButton } from "../components/form-fields.tsx";
import type { Html } from "../components/html.ts";
import { Logo, logoUrl } from "../components/icon.tsx";

/** The properties of {@link LoginDocument}. */
export interface LoginDocumentProps {
  /** The nonce of the content security policy. */
  readonly nonce: string;
  /** The reason why the previous token was refused. */
  readonly problem: string | undefined;
}

/** The HTML document that asks for the token. It loads no file, because files need the token as well. */
export function LoginDocument({ nonce, problem }: LoginDocumentProps): Html {
  const hint = "The value of DOORCODE_SANDBOX_TOKEN or --token with which the sandbox was started.";
  return (
    <>
      {raw("<!doctype html>")}
      <html lang="en">
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover" />
          <meta name="color-scheme" content="light dark" />
          {/* The form sends the path of the page, to which the browser returns. Other sites still get no referrer. */}
          <meta name="referrer" content="same-origin" />
          <title>Log in · Doorcode sandbox</title>
          <link rel="icon" href={logoUrl} />
          <style nonce={nonce}>{raw(findAsset("login.css")?.body ?? "")}</style>
        </head>
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
