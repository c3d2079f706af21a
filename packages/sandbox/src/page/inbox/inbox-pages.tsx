import { type Context, Hono } from "hono";
import { applicationOf } from "../../http/read-request.ts";
import { createInbox } from "../../sandbox/inbox.ts";
import type { Application } from "../../state/application.ts";
import { isInInbox } from "../../state/message.ts";
import { CopyBlock } from "../components/controls.tsx";
import type { Html } from "../components/elements.tsx";
import { Logo } from "../components/icon.tsx";
import { applicationPath, type ThreadName } from "../components/paths.ts";
import { environmentText } from "../portal/credentials.tsx";
import { createFormRoutes, type FormHandlers, ofApplication } from "../request/form-handler.ts";
import { type PageContext, renderPage } from "../request/render-page.tsx";
import { queryInbox, threadKey } from "./inbox-query.ts";
import { MessagePane } from "./messages.tsx";
import { ThreadPane } from "./threads.tsx";

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
      createInbox(deps, application.id).remove(param("message")),
  },
  redirecting: {
    [`${ofApplication}/messages/delete`]: ({ deps, application }) => {
      createInbox(deps, application.id).clear();
      return { to: applicationPath(application.id) };
    },
    [`${ofApplication}/threads/:to/:channel/delete`]: ({ deps, application, param }) => {
      const key = threadKey({ to: param("to"), channel: param("channel") });
      const messages = deps.state.messages.list(application.id).filter(isInInbox);
      for (const message of messages) {
        if (threadKey(message) === key) createInbox(deps, application.id).remove(message.id);
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

interface EmptyInboxProps {
  readonly env: string;
  readonly command: string;
}

/** Explains how to send the first message. */
function EmptyInbox({ env, command }: EmptyInboxProps): Html {
  return (
    <div class="welcome">
      <Logo />
      <h1>No messages yet</h1>
      <p class="lead">
        Every message and every code that your app sends appears here at once. Nothing leaves this machine.
      </p>
      <section aria-labelledby="step-env">
        <h2 id="step-env">Point your app here</h2>
        <CopyBlock text={env} label="the environment" />
      </section>
      <section aria-labelledby="step-curl">
        <h2 id="step-curl">Or send a first code from a terminal</h2>
        <CopyBlock text={command} label="the command" />
      </section>
      <p class="soft">
        This page updates itself. <kbd>c</kbd> copies the newest code, <kbd>?</kbd> shows all keys.
      </p>
    </div>
  );
}

/** Returns a shell command that sends a first code. */
function firstCommand(
  origin: string,
  { apiKey = "<rotate the key first>", templates }: Pick<Application, "apiKey" | "templates">,
): string {
  const [name = "login"] = Object.keys(templates);
  const body = {
    recipient: "+4915112345678",
    template: { name, variables: {} },
    channels: [{ channel_name: "SMS", priority: 1 }],
  };
  return [
    `curl ${origin}/v1/verifications \\`,
    `  -H 'X-API-KEY: ${apiKey}' -H 'Content-Type: application/json' \\`,
    `  -d '${JSON.stringify(body)}'`,
  ].join("\n");
}
