import { type DoorcodeParts, type HttpResponse, isDoorcodeError } from "@doorcode/core/adapter";
import type { ActionOutcome } from "../actions/action.ts";
import { type Html, Icon } from "../page-parts.ts";
import { type DocumentProps, pageDocument } from "./document.tsx";

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src data:",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** Returns the headers of everything that the mount serves. */
export function headersOf(type: string): Readonly<Record<string, string>> {
  return {
    "content-type": `${type}; charset=utf-8`,
    "content-security-policy": policy,
    "cache-control": "no-store",
    "referrer-policy": "same-origin",
    "x-content-type-options": "nosniff",
    "x-robots-tag": "noindex",
  };
}

/** Answers with a page. */
export async function answerPage(status: number, page: Html): Promise<HttpResponse> {
  return { status, headers: headersOf("text/html"), cookies: [], body: String(await page) };
}

/** Answers 403 with a page without style and script, which this client would not get either. */
export function forbid(text: string): Promise<HttpResponse> {
  const page = (
    <html lang="en">
      <head>
        <meta name="viewport" content="width=device-width" />
        <title>Not allowed</title>
      </head>
      <body>
        <h1>Not allowed</h1>
        <p>{text}</p>
      </body>
    </html>
  );
  return answerPage(403, page as Html);
}

const looks = { done: "done", unchanged: "caution", failed: "problem" } as const;

/** Says what an action did, or what has failed. Nothing done is no success: the operator may have expected something. */
export function Notice({ outcome, caution, text }: Pick<ActionOutcome, "outcome" | "caution" | "text">): Html {
  const titles = { done: "Done.", unchanged: "Unchanged.", failed: "Failed." };
  return (
    <div class={`notice ${caution ? "caution" : looks[outcome]}`} role={outcome === "failed" ? "alert" : "status"}>
      <Icon name={outcome === "done" && !caution ? "check" : "warning"} />
      <p>
        <strong>{caution ?? titles[outcome]}</strong> {text}
      </p>
    </div>
  );
}

/**
 * Answers 503 with a page that says what is missing. The app's error handler may show the text of an error, which may hold anything, so no
 * error of a store or an inbox reaches it.
 */
export function answerFailure(
  publish: DoorcodeParts["publish"],
  error: unknown,
  page: Omit<DocumentProps, "title" | "children">,
  next: string,
): Promise<HttpResponse> {
  // The kit has published its own errors.
  if (!isDoorcodeError(error)) publish({ type: "store.failed", error });
  const text = isDoorcodeError(error) ? error.message : "The store or the inbox does not answer.";
  const children = <Notice outcome="failed" text={`${text} ${next}`} />;
  return answerPage(503, pageDocument({ ...page, title: "Not available", children }));
}
