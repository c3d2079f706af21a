import {
  type DoorcodeParts,
  type HttpRequest,
  type HttpResponse,
  isDoorcodeError,
  isSameOrigin,
  readBodyInTime,
  refuse,
} from "@doorcode/core/adapter";
import { answerFailure, answerPage, Notice } from "../page/answers.tsx";
import { type DocumentProps, pageDocument } from "../page/document.tsx";
import { readBadges } from "../page/navigation.ts";
import { type PageContext, viewUrl } from "../page-context.ts";
import { PostButton } from "../page-parts.ts";
import type { Action, ActionOutcome, Form } from "./action.ts";

interface ActionDeps extends Pick<DoorcodeParts, "clock" | "publish">, Pick<DoorcodeParts["mount"], "origins"> {
  /** Writes the figures, so that the page shows an action as soon as it is done. */
  readonly flush: () => Promise<void>;
}

/** What the pages of an action have in common. */
type ActionPage = Omit<DocumentProps, "title" | "children" | "badges">;

/**
 * Answers the form of an action: it asks once, and then does it. Every action that is done is published with the operator's name.
 *
 * @throws DoorcodeError `body_too_large`, `body_malformed`, `body_too_slow` or `server_busy`
 */
export async function answerAction(
  deps: ActionDeps,
  request: HttpRequest,
  action: Action,
  context: PageContext,
  operator: string,
): Promise<HttpResponse> {
  if (request.method !== "POST") return refuse("method_not_allowed", {}, { allow: "POST" });
  if (!isSameOrigin(request, deps.origins, false)) return refuse("foreign_origin");
  const form = await readForm(request, deps.clock);
  const page: ActionPage = { ...context, view: action.view, operator, isLive: false };
  if (form.sure === "yes") return runAction(deps, action, context, form, page);
  const badges = await readBadges(context.doorcode);
  try {
    const prompt = await action.ask(context, form);
    return await answerPrompt(prompt, `${context.basePath}${request.path}`, form, { ...page, badges });
  } catch (error) {
    return answerFailure(deps.publish, error, { ...page, badges }, "Nothing was changed.");
  }
}

async function readForm(request: HttpRequest, clock: DoorcodeParts["clock"]): Promise<Form> {
  const body = await readBodyInTime(request, 16 * 1024, clock);
  const fields =
    "bytes" in body
      ? Object.fromEntries(new URLSearchParams(new TextDecoder().decode(body.bytes)))
      : Object(body.parsed);
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) => (typeof value === "string" ? [[name, value]] : [])),
  );
}

function answerPrompt(
  prompt: Awaited<ReturnType<Action["ask"]>>,
  path: string,
  form: Form,
  page: ActionPage & Pick<DocumentProps, "badges">,
): Promise<HttpResponse> {
  const children = (
    <div class="card ask">
      <h1>{prompt?.question ?? "Nothing was changed: tick the box to go on."}</h1>
      <div class="row">
        {prompt?.yes && (
          <PostButton action={path} label={prompt.yes} look="primary" fields={{ ...form, sure: "yes" }} />
        )}
        <a class="button" href={viewUrl(page, page.view)}>
          {prompt?.yes ? "Cancel" : "Back"}
        </a>
      </div>
    </div>
  );
  return answerPage(200, pageDocument({ ...page, title: "Are you sure?", children }));
}

async function runAction(
  { publish, flush }: ActionDeps,
  action: Action,
  context: PageContext,
  form: Form,
  page: ActionPage,
): Promise<HttpResponse> {
  const { details, ...ended } = await action.run(context, form).catch(failed);
  const { outcome, text, target, error } = ended;
  publish({
    type: "operator.acted",
    action: action.name,
    operator: page.operator,
    outcome,
    text,
    ...(target !== undefined && { target }),
    ...(error !== undefined && { error }),
  });
  await flush();
  const children = (
    <>
      <Notice {...ended} />
      {details && <div class="card">{details}</div>}
      <p>
        <a class="button" href={viewUrl(page, page.view)}>
          Back
        </a>
      </p>
    </>
  );
  const badges = await readBadges(context.doorcode);
  return answerPage(200, pageDocument({ ...page, badges, title: outcome, children }));
}

/** A failure that is no error of the kit may hold anything in its text, so only the event has it. */
function failed(error: unknown): ActionOutcome {
  const text = isDoorcodeError(error) ? error.message : "The action failed. Your app has the error as an event.";
  return { outcome: "failed", text: `${text} It can be done again.`, error };
}
