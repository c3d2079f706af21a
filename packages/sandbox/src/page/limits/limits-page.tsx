import { Hono } from "hono";
import { applicationOf } from "../../http/request-params.ts";
import { PostButton } from "../components/form-fields.tsx";
import { applicationPath } from "../components/paths.ts";
import { createFormRoutes, type FormHandlers, ofApplication } from "../request/form-handler.ts";
import type { PageContext } from "../request/page-context.ts";
import { renderPage } from "../request/render-page.tsx";
import { DecisionList } from "./decision-list.tsx";
import { DecisionTotals } from "./decision-totals.tsx";
import { NoDecisions } from "./no-decisions.tsx";

const maxShown = 50;

const forms: FormHandlers = {
  returning: {
    [`${ofApplication}/limits/clear`]: ({ deps, application }) => deps.state.decisions.forget(application.id),
  },
};

/** Creates the page of the decisions that an app makes about its codes. */
export function createLimitsPage(context: PageContext): Hono {
  const { state, scheduler } = context.deps;
  const routes = new Hono().get(`${ofApplication}/limits`, (c) => {
    const { id } = applicationOf(context.deps, c);
    const decisions = state.decisions.list(id);
    const children = (
      <>
        <div class="view-head">
          <h1>Limits</h1>
          <span class="push" />
          {decisions.length > 0 && (
            <PostButton action={applicationPath(id, "limits", "clear")} label="Clear" icon="trash" />
          )}
        </div>
        {decisions.length === 0 && <NoDecisions applicationId={id} origin={new URL(c.req.url).origin} />}
        {decisions.length > 0 && <DecisionTotals decisions={decisions} />}
        {decisions.length > 0 && (
          <DecisionList decisions={decisions.slice(-maxShown).reverse()} now={scheduler.now(id)} />
        )}
      </>
    );
    return renderPage(c, context, { applicationId: id, section: "limits", title: "Limits", children });
  });
  return routes.route("/", createFormRoutes(context, forms));
}
