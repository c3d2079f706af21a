import { type Html, Logo } from "@doorcode/operations/page-parts";
import { CopyBlock } from "../components/controls.tsx";
import { phoneText } from "../components/digits.tsx";
import { applicationPath } from "../components/paths.ts";
import { environmentText } from "../portal/credentials.tsx";
import type { FormRequest, PageRequest, PageSection, PageView } from "../request/page-request.tsx";
import { readInbox, threadKey } from "./inbox-query.tsx";
import { MessagePane } from "./messages.tsx";
import { ThreadPane } from "./threads.tsx";

/** The pages of an application's inbox, and the forms that delete messages. */
export const inboxSection: PageSection = {
  name: "inbox",
  views: { "/": inboxView, "/inbox/:to/:channel": inboxView },
  forms: {
    "/messages/:message/delete": ({ sandbox, param }) => sandbox.inbox.remove(param("message")),
    "/messages/delete": ({ sandbox, answer }) => {
      sandbox.inbox.clear();
      answer({ to: applicationPath(sandbox.id) });
    },
    "/threads/:to/:channel/delete": deleteThread,
  },
};

function deleteThread({ sandbox: { id, inbox }, param, answer }: FormRequest): void {
  const key = threadKey({ to: param("to"), channel: param("channel") });
  for (const message of inbox.list()) if (threadKey(message) === key) inbox.remove(message.id);
  answer({ to: applicationPath(id) });
}

/** Shows threads on the left and messages on the right. On a phone it shows one of the two. */
export function inboxView(request: PageRequest): PageView {
  const inbox = readInbox(request);
  const { thread } = inbox;
  const children =
    inbox.total === 0 && !thread ? (
      <EmptyInbox {...request} />
    ) : (
      <div class={thread ? "panes open" : "panes"}>
        <ThreadPane {...inbox} />
        <MessagePane {...inbox} />
      </div>
    );
  return { title: thread ? phoneText(thread.to) : "Inbox", children };
}

function EmptyInbox(request: PageRequest): Html {
  return (
    <div class="welcome">
      <Logo />
      <h1>No messages yet</h1>
      <p class="lead">
        Every message and every code that your app sends appears here immediately. Nothing leaves this machine.
      </p>
      <section aria-labelledby="step-env">
        <h2 id="step-env">Point your app here</h2>
        <CopyBlock text={environmentText(request)} label="the environment" />
      </section>
      <section aria-labelledby="step-curl">
        <h2 id="step-curl">Or send a first code from a terminal</h2>
        <CopyBlock text={firstCommand(request)} label="the command" />
      </section>
      <p class="soft">
        This page updates itself. <kbd>c</kbd> copies the newest code, <kbd>?</kbd> shows all keys.
      </p>
    </div>
  );
}

function firstCommand({ origin, application }: PageRequest): string {
  const { apiKey = "<rotate the key first>", templates } = application;
  const [name = "login"] = Object.keys(templates);
  return [
    `curl ${origin}/v1/verifications \\`,
    `  -H 'X-API-KEY: ${apiKey}' -H 'Content-Type: application/json' \\`,
    `  -d '{"recipient":"+4915112345678",`,
    `    "template":{"name":${JSON.stringify(name)},"variables":{}},`,
    `    "channels":[{"channel_name":"SMS","priority":1}]}'`,
  ].join("\n");
}
