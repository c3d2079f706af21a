import {
  type Doorcode,
  doorcodeParts,
  type HttpRequest,
  type HttpResponse,
  isDoorcodeError,
  type Mount,
  refuse,
} from "@doorcode/core/adapter";
import type { Action } from "./actions/action.ts";
import { answerAction } from "./actions/answer-action.tsx";
import { dropLetters, replayLetters } from "./actions/dead-letters.ts";
import { changeCeiling, openGroup } from "./actions/limits.ts";
import { endSessions } from "./actions/users.ts";
import { checkWebhooks, reconcile } from "./actions/webhooks.tsx";
import { assetPaths, findAsset } from "./assets.ts";
import { recordFigures } from "./figures/record-figures.ts";
import { createIdentify } from "./guard.ts";
import { checkOptions, type OperationsOptions } from "./options.ts";
import { answerFailure, answerPage, headersOf } from "./page/answers.tsx";
import { pageDocument } from "./page/document.tsx";
import { readBadges, type ViewName } from "./page/navigation.ts";
import { ViewHead } from "./page/view-head.tsx";
import { type PageContext, readQuery, type ShownView } from "./page-context.ts";
import { activityView } from "./views/activity.tsx";
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
  ["/activity", ["activity", activityView]],
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
 * @throws TypeError for a wrong option, or a `release` other than the one that `recordFigures` was called with
 */
export function createOperations<Context>(
  doorcode: Doorcode,
  options: OperationsOptions<Context> = {},
): Mount<Context> {
  checkOptions(options);
  const parts = doorcode[doorcodeParts];
  const { clock, publish, login } = parts;
  const { origins, checkHost } = parts.mount;
  const recorder = recordFigures(doorcode, options);
  const actionDeps = { clock, publish, origins, flush: recorder.flush };
  const prices = options.prices ?? login?.limits.prices;
  const identify = createIdentify(options.operator, origins);

  function contextOf({ basePath, query }: HttpRequest): PageContext {
    const members = Object.fromEntries(new URLSearchParams(query));
    return { doorcode, options, prices, basePath, now: clock.now(), query: members, ...readQuery(members) };
  }

  async function show(request: HttpRequest, [view, render]: View, operator: string): Promise<HttpResponse> {
    const context = contextOf(request);
    const page = { ...context, view, operator, badges: await readBadges(doorcode), isLive: true };
    try {
      const { children, ...head } = await render(context);
      const viewHead = <ViewHead {...head} context={context} view={view} />;
      return await answerPage(200, pageDocument({ ...page, title: head.title, children: [viewHead, children] }));
    } catch (error) {
      return answerFailure(publish, error, page, "The page tries again every five seconds.");
    }
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
        if (action) return await answerAction(actionDeps, request, action, contextOf(request), known.operator);
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
