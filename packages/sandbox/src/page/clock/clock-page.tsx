import { Hono } from "hono";
import { applicationOf } from "../../http/request-params.ts";
import { clockState } from "../layout/layout-data.ts";
import { createFormRoutes, ofApplication } from "../request/form-handler.ts";
import type { PageContext } from "../request/page-context.ts";
import { renderPage } from "../request/render-page.tsx";
import { ClockCard, clockForms } from "./clock-card.tsx";
import { FaultForms, faultForms } from "./fault-forms.tsx";
import { FaultList, faultListForms } from "./fault-list.tsx";

const maxFirings = 30;

/** Creates the page of an application's clock and faults, with its forms. */
export function createClockPage(context: PageContext): Hono {
  const { deps } = context;
  const routes = new Hono().get(`${ofApplication}/clock`, (c) => {
    const { id } = applicationOf(deps, c);
    const firings = deps.state.firings.list(id).slice(-maxFirings).reverse();
    const children = (
      <>
        <div class="view-head">
          <h1>Clock & faults</h1>
        </div>
        <ClockCard applicationId={id} clock={clockState(deps, id)} />
        <FaultList applicationId={id} faults={deps.state.faults.list(id)} firings={firings} />
        <FaultForms applicationId={id} />
      </>
    );
    return renderPage(c, context, { applicationId: id, section: "clock", title: "Clock & faults", children });
  });
  for (const forms of [clockForms, faultListForms, faultForms]) routes.route("/", createFormRoutes(context, forms));
  return routes;
}
