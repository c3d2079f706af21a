import {
  type Doorcode,
  doorcodeParts,
  type HttpRequest,
  type HttpResponse,
  isDoorcodeError,
  isLoopbackOrigin,
  isSameOrigin,
  type Mount,
  readBodyInTime,
  refuse,
} from "@doorcode/core/adapter";
import type { Action, ActionOutcome, Form } from "./actions/action.ts";
import { dropLetters, replayLetters } from "./actions/dead-letters.ts";
import { changeCeiling, openGroup } from "./actions/limits.ts";
import { endSessions } from "./actions/users.ts";
import { checkWebhooks, reconcile } from "./actions/webhooks.tsx";
import { assetPaths, findAsset } from "./assets.ts";
import { recordFigures } from "./figures/record-figures.ts";
import { isFromThisMachine } from "./guard.ts";
import { checkOptions, type OperationsOptions } from "./options.ts";
import { type DocumentProps, pageDocument, type ViewName } from "./page/document.tsx";
import { type Html, PostButton } from "./page/elements.tsx";
import { Icon } from "./page/icon.tsx";
import { type PageContext, pricesOf, readQuery, type ShownView } from "./page-context.ts";
import { deadLettersView, letterView } from "./views/dead-letters.tsx";
import { limitsView } from "./views/limits.tsx";
import { overviewView } from "./views/overview.tsx";
import { storeView } from "./views/store.tsx";
import { usersView } from "./views/users.tsx";
import { webhooksView } from "./views/webhooks.tsx";

type View = readonly [ViewName, (context: PageContext) => Promise<ShownView>];

/** The views by their paths below the mount. */
const views: ReadonlyMap<string, View> = new Map<string, View>([
  ["/", ["overview", overviewView]],
  ["/limits", ["limits", limitsView]],
  ["/webhooks", ["webhooks", webhooksView]],
  ["/dead-letters", ["dead-letters", deadLettersView]],
  ["/dead-letters/letter", ["dead-letters", letterView]],
  ["/store", ["store", storeView]],
  ["/users", ["users", usersView]],
]);

/** The actions by their paths below the mount. */
const actions: ReadonlyMap<string, Action> = new Map([
  ["/limits/open", openGroup],
  ["/limits/ceiling", changeCeiling],
  ["/webhooks/check", checkWebhooks],
  ["/webhooks/reconcile", reconcile],
  ["/dead-letters/replay", replayLetters],
  ["/dead-letters/drop", dropLetters],
  ["/users/end-sessions", endSessions],
]);

/**
 * Creates the operators' page for an adapter to mount, and records the figures of this process. `@doorcode/operations/express`,
 * `/fastify` and `/fetch` mount it in one line.
 *
 * The kit cannot see whether a guard stands in front of the page. So without `operator` it serves requests of this machine only,
 * and none if `origins` names another machine.
 *
 * @throws TypeError for a wrong option
 */
export function createOperations<Context>(
  doorcode: Doorcode,
  options: OperationsOptions<Context> = {},
): Mount<Context> {
  checkOptions(options);
  const parts = doorcode[doorcodeParts];
  const { clock, publish } = parts;
  const { origins, checkHost } = parts.mount;
  const recorder = recordFigures(doorcode, options);
  const prices = pricesOf(doorcode, options.prices);
  // A proxy or a tunnel on this machine may add no header and name this machine as the host: then a stranger looks like this machine.
  const isPublic =
    typeof origins !== "string" && [...origins].some((each) => each.startsWith("http") && !isLoopbackOrigin(each));

  /** Returns who acts, or the answer to somebody who may not. */
  async function identify(
    request: HttpRequest,
    context: Context,
  ): Promise<{ operator: string } | { refusal: HttpResponse }> {
    if (options.operator) {
      const operator: unknown = await options.operator(context);
      if (!operator) return { refusal: await forbid("You are not an operator of this app.") };
      // Any other value could be markup on the page, and would name nobody in the event.
      if (typeof operator !== "string") throw new TypeError(wrongOperator);
      return { operator };
    }
    if (!isPublic && isFromThisMachine(request)) return { operator: "this machine" };
    return { refusal: await forbid(guardMissing) };
  }

  function contextOf({ basePath, query }: HttpRequest): PageContext {
    const members = Object.fromEntries(new URLSearchParams(query));
    // Behind a wildcard the path may begin with two slashes, and a link to it would lead to another site.
    const ownPath = basePath.replace(/^[/\\]+/, "/");
    return { doorcode, options, prices, basePath: ownPath, now: clock.now(), query: members, ...readQuery(members) };
  }

  async function show(request: HttpRequest, [view, render]: View, operator: string): Promise<HttpResponse> {
    const context = contextOf(request);
    try {
      const { title, children } = await render(context);
      return await answerPage(200, pageDocument({ ...context, view, title, operator, isLive: true, children }));
    } catch (error) {
      return fail(error, { ...context, view, operator, isLive: true }, "The page tries again every five seconds.");
    }
  }

  /** The app's error handler may show the text of an error, which may hold anything, so no error of a store or an inbox reaches it. */
  function fail(error: unknown, page: Omit<DocumentProps, "title" | "children">, next: string): Promise<HttpResponse> {
    // The kit has published its own errors.
    if (!isDoorcodeError(error)) publish({ type: "store.failed", error });
    const text = isDoorcodeError(error) ? error.message : "The store or the inbox does not answer.";
    const children = <Notice outcome="failed" text={`${text} ${next}`} />;
    return answerPage(503, pageDocument({ ...page, title: "Not available", children }));
  }

  async function act(request: HttpRequest, action: Action, operator: string): Promise<HttpResponse> {
    if (request.method !== "POST") return refuse("method_not_allowed", {}, { allow: "POST" });
    if (!isSameOrigin(request, origins, false)) return refuse("foreign_origin");
    const form = await readForm(request);
    const context = contextOf(request);
    const { view, name } = action;
    const back = view === "overview" ? `${context.basePath}/` : `${context.basePath}/${view}`;
    if (form.sure !== "yes") {
      let asked: Awaited<ReturnType<Action["ask"]>>;
      try {
        asked = await action.ask(context, form);
      } catch (error) {
        return fail(error, { ...context, view, operator, isLive: false }, "Nothing was changed.");
      }
      const children = (
        <div class="card ask">
          <h1>{asked?.question ?? "Nothing was changed: tick the box to go on."}</h1>
          <div class="row">
            {asked && (
              <PostButton
                action={`${context.basePath}${request.path}`}
                label={asked.yes}
                look="primary"
                fields={{ ...form, sure: "yes" }}
              />
            )}
            <a class="button" href={back}>
              Cancel
            </a>
          </div>
        </div>
      );
      return answerPage(
        200,
        pageDocument({ ...context, view, title: "Are you sure?", operator, isLive: false, children }),
      );
    }
    const { outcome, text, target, error, details } = await action.run(context, form).catch(failed);
    publish({
      type: "operator.acted",
      action: name,
      operator,
      outcome,
      ...(target !== undefined && { target }),
      ...(error !== undefined && { error }),
    });
    const children = (
      <>
        <Notice outcome={outcome} text={text} />
        {details && <div class="card">{details}</div>}
        <p>
          <a class="button" href={back}>
            Back
          </a>
        </p>
      </>
    );
    return answerPage(200, pageDocument({ ...context, view, title: outcome, operator, isLive: false, children }));
  }

  async function readForm(request: HttpRequest): Promise<Form> {
    const body = await readBodyInTime(request, 16 * 1024, clock);
    const fields =
      "bytes" in body
        ? Object.fromEntries(new URLSearchParams(new TextDecoder().decode(body.bytes)))
        : Object(body.parsed);
    return Object.fromEntries(
      Object.entries(fields).flatMap(([name, value]) => (typeof value === "string" ? [[name, value]] : [])),
    );
  }

  return {
    paths: [...views.keys(), ...actions.keys(), ...assetPaths],
    async handle(request, context) {
      const view = views.get(request.path);
      const action = actions.get(request.path);
      const asset = findAsset(request.path);
      if (!view && !action && !asset) return undefined;
      try {
        checkHost(request);
        const known = await identify(request, context);
        if ("refusal" in known) return known.refusal;
        if (action) return await act(request, action, known.operator);
        if (request.method !== "GET" && request.method !== "HEAD") {
          return refuse("method_not_allowed", {}, { allow: "GET, HEAD" });
        }
        if (asset) return { status: 200, headers: headersOf(asset.type), cookies: [], body: asset.body };
        return view && (await show(request, view, known.operator));
      } catch (error) {
        if (!isDoorcodeError(error)) throw error;
        const { code, message, retryAfterSeconds } = error;
        return refuse(code, { message, ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) });
      }
    },
    close: () => void recorder.flush(),
  };
}

/** A failure that is no error of the kit may hold anything in its text, so only the event has it. */
function failed(error: unknown): ActionOutcome {
  const text = isDoorcodeError(error) ? error.message : "The action failed. Your app has the error as an event.";
  return { outcome: "failed", text: `${text} It can be done again.`, error };
}

const wrongOperator =
  "operations: operator: expected a function that returns the operator's name as a text, such as (req) => req.user.email, or nothing.";

const guardMissing =
  "This page has no guard, so it is served to this machine only, and only while origins names no other one. Pass operator to " +
  "operations(), which says who is asking, and mount " +
  'it behind your guard: app.use("/operations", requireStaff, operations(doorcode, { operator: (req) => req.user.email })).';

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

function headersOf(type: string): Readonly<Record<string, string>> {
  return {
    "content-type": `${type}; charset=utf-8`,
    "content-security-policy": policy,
    "cache-control": "no-store",
    "referrer-policy": "same-origin",
    "x-content-type-options": "nosniff",
    "x-robots-tag": "noindex",
  };
}

async function answerPage(status: number, page: Html): Promise<HttpResponse> {
  return { status, headers: headersOf("text/html"), cookies: [], body: String(await page) };
}

/** A page without style and script, which this client would not get either. */
function forbid(text: string): Promise<HttpResponse> {
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

function Notice({ outcome, text }: Pick<ActionOutcome, "outcome" | "text">): Html {
  const titles = { done: "Done.", unchanged: "Unchanged.", failed: "Failed." };
  return (
    <div
      class={outcome === "failed" ? "notice problem" : "notice done"}
      role={outcome === "failed" ? "alert" : "status"}
    >
      <Icon name={outcome === "failed" ? "warning" : "check"} />
      <p>
        <strong>{titles[outcome]}</strong> {text}
      </p>
    </div>
  );
}
