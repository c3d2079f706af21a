import { type Context, Hono } from "hono";
import { applicationOf } from "../../http/request-params.ts";
import { clearInbox, removeMessage } from "../../sandbox/inbox.ts";
import { isInInbox } from "../../state/message.ts";
import { environmentText } from "../components/environment.ts";
import { applicationPath, type ThreadName } from "../components/paths.ts";
import { createFormRoutes, type FormHandlers, ofApplication } from "../request/form-handler.ts";
import type { PageContext } from "../request/page-context.ts";
import { renderPage } from "../request/render-page.tsx";
import { EmptyInbox, firstCommand } from "./empty-inbox.tsx";
import { queryInbox, threadKey } from "./inbox-query.ts";
import { MessagePane } from "./message-pane.tsx";
import { ThreadPane } from "./thread-pane.tsx";

/** Creates the pages of an application's inbox, with their forms. */
export function createInboxPages(context: PageContext): Hono {
  return new Hono()
    .get("/", (c) => renderInbox(c, context))
    .get(ofApplication, (c) => renderInbox(c, context))
    .get(`${ofApplication}/inbox/:to/:channel`, (c) => {
      const { to, channel } = c.req.param();
      return renderInbox(c, context, { to, channel });
    })
    .route("/", createFormRoutes(context, inboxForms));
}

const inboxForms: FormHandlers = {
  returning: {
    [`${ofApplication}/messages/:message/delete`]: ({ deps, application, param }) =>
      removeMessage(deps, application.id, param("message")),
  },
  redirecting: {
    [`${ofApplication}/messages/delete`]: ({ deps, application }) => {
      clearInbox(deps, application.id);
      return { to: applicationPath(application.id) };
    },
    [`${ofApplication}/threads/:to/:channel/delete`]: ({ deps, application, param }) => {
      const key = threadKey({ to: param("to"), channel: param("channel") });
      const messages = deps.state.messages.list(application.id).filter(isInInbox);
      for (const message of messages) {
        if (threadKey(message) === key) removeMessage(deps, application.id, message.id);
      }
      return { to: applicationPath(application.id) };
    },
  },
};

/** Shows threads on the left and messages on the right. On a phone it shows one of the two. */
function renderInbox(c: Context, context: PageContext, thread?: ThreadName) {
  const { deps } = context;
  const application = applicationOf(deps, c);
  const { q = "", channel = "", threads, before } = c.req.query();
  const query = { search: q.trim(), channel, thread, threadsBefore: threads, before };
  const result = queryInbox(deps.state, application.id, query);
  const { origin } = new URL(c.req.url);
  const now = deps.scheduler.now(application.id);
  const children =
    result.total === 0 && !thread ? (
      <EmptyInbox env={environmentText(deps, origin, application)} command={firstCommand(origin, application)} />
    ) : (
      <div class={thread ? "panes open" : "panes"}>
        <ThreadPane inbox={result} now={now} />
        <MessagePane inbox={result} now={now} />
      </div>
    );
  const title = thread?.to ?? "Inbox";
  return renderPage(c, context, { applicationId: application.id, section: "inbox", title, children });
}
