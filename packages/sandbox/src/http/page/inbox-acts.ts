import type { Hono } from "hono";
import { address } from "../../page/address.ts";
import { createActs } from "./act.ts";
import type { PageDesk } from "./desk.ts";

/** What the inbox and the webhooks of the page do. */
export function createPageInboxActs(desk: PageDesk): Hono {
  return createActs(desk, {
    staying: {
      "messages/:message/delete": ({ application, part }) => application.inbox.remove(part("message")),
      "deliveries/:delivery/send": ({ application, part }) => application.deliveries.sendAgain(part("delivery")),
    },
    leading: {
      "messages/delete": ({ application }) => {
        application.inbox.clear();
        return { to: address(application.id) };
      },
      "threads/:to/:channel/delete": ({ application, part }) => {
        const thread = { to: part("to"), channel: part("channel") };
        const ids = [...desk.index.messages(application.id, thread)].map(({ id }) => id);
        for (const id of ids) application.inbox.remove(id);
        return { to: address(application.id) };
      },
      "deliveries/replay": ({ application }) => {
        const failed = application.deliveries.list().filter(({ status }) => status === "failed").length;
        // Each may take its five seconds, and the page follows along: nobody has to wait here.
        void application.deliveries.replayFailed().catch(() => undefined);
        return { notice: { kind: "done", text: `${failed} failed deliveries are sent again.` } };
      },
    },
  });
}
