import { EmptyNote } from "../components/card.tsx";
import { ChannelTag } from "../components/channel.tsx";
import { PostButton } from "../components/form-fields.tsx";
import { type Html, nothing } from "../components/html.ts";
import { Icon } from "../components/icon.tsx";
import { OlderLink } from "../components/navigation.tsx";
import { applicationPath, threadPath } from "../components/paths.ts";
import { Bubble } from "./bubble.tsx";
import { inboxPath } from "./inbox-query.ts";
import type { PaneProps } from "./thread-pane.tsx";

/** Shows the messages of the open thread, or the newest of all threads, the newest first. */
export function MessagePane(props: PaneProps): Html {
  const { inbox, now } = props;
  const { applicationId, query, messages } = inbox;
  const older = messages.older && inboxPath(applicationId, query, query.thread, { before: messages.older });
  return (
    <section class="detail-pane" aria-label="Messages" id="messages">
      {query.thread ? <ThreadHead {...props} /> : <LatestHead {...props} />}
      <ol class="bubbles" id="bubbles">
        {messages.items.map((message) => (
          <Bubble message={message} search={query.search} now={now} withNumber={query.thread === undefined} />
        ))}
      </ol>
      {messages.items.length === 0 && (
        <EmptyNote>{query.search === "" ? "No messages here." : "Nothing matches."}</EmptyNote>
      )}
      <OlderLink href={older} items="messages" />
    </section>
  );
}

function LatestHead({ inbox }: PaneProps): Html {
  return (
    <header class="pane-head">
      <div class="row">
        <h2>Latest</h2>
        <span class="soft">{inbox.query.search === "" ? "of all numbers" : `with “${inbox.query.search}”`}</span>
      </div>
    </header>
  );
}

function ThreadHead({ inbox }: PaneProps): Html {
  const { applicationId, query, threadTotal } = inbox;
  if (!query.thread) return nothing;
  const { to, channel } = query.thread;
  const path = threadPath(applicationId, query.thread);
  return (
    <header class="pane-head" data-reads={path}>
      <div class="row">
        <a class="button bare back" href={inboxPath(applicationId, query)} id="back" aria-label="Back to the threads">
          <Icon name="back" />
        </a>
        <span class={`avatar ${channel.toLowerCase()}`} aria-hidden="true">
          <Icon name={channel === "VOICE" ? "call" : "phone"} />
        </span>
        <div>
          <h1 class="number">{to}</h1>
          <p class="soft">
            <ChannelTag channel={channel} /> {threadTotal.toLocaleString("en")}{" "}
            {threadTotal === 1 ? "message" : "messages"}
          </p>
        </div>
        <span class="push" />
        <PostButton
          action={`${applicationPath(applicationId, "threads", to, channel)}/delete`}
          label="Delete this thread"
          icon="trash"
          bare
          confirm={`Delete the ${threadTotal.toLocaleString("en")} messages to ${to} by ${channel}?`}
        />
      </div>
    </header>
  );
}
