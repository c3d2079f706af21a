import { address, threadAddress } from "../address.ts";
import { Empty, Older } from "../controls/card.tsx";
import { ChannelTag } from "../controls/channel.tsx";
import { PostButton } from "../controls/form.tsx";
import { Icon } from "../controls/icon.tsx";
import { type Html, nothing } from "../html.ts";
import { Bubble } from "./bubble.tsx";
import { inboxAddress } from "./inbox-view.ts";
import type { PaneProps } from "./thread-pane.tsx";

/** The messages of the open thread, or the newest of all, the newest first. */
export function MessagePane(props: PaneProps): Html {
  const { view, now } = props;
  const { applicationId, query, messages } = view;
  const older = messages.older && inboxAddress(applicationId, query, query.thread, { before: messages.older });
  return (
    <section class="detail-pane" aria-label="Messages" id="messages">
      {query.thread ? <ThreadHead {...props} /> : <LatestHead {...props} />}
      <ol class="bubbles" id="bubbles">
        {messages.items.map((message) => (
          <Bubble message={message} search={query.search} now={now} withNumber={query.thread === undefined} />
        ))}
      </ol>
      {messages.items.length === 0 && <Empty>{query.search === "" ? "No messages here." : "Nothing matches."}</Empty>}
      <Older href={older} what="messages" />
    </section>
  );
}

function LatestHead({ view }: PaneProps): Html {
  return (
    <header class="pane-head">
      <div class="row">
        <h2>Latest</h2>
        <span class="soft">{view.query.search === "" ? "of all numbers" : `with “${view.query.search}”`}</span>
      </div>
    </header>
  );
}

function ThreadHead({ view }: PaneProps): Html {
  const { applicationId, query, threadTotal } = view;
  if (!query.thread) return nothing;
  const { to, channel } = query.thread;
  const path = threadAddress(applicationId, query.thread);
  return (
    <header class="pane-head" data-reads={path}>
      <div class="row">
        <a
          class="button bare back"
          href={inboxAddress(applicationId, query)}
          id="back"
          aria-label="Back to the threads"
        >
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
          action={`${address(applicationId, "threads", to, channel)}/delete`}
          label="Delete this thread"
          icon="trash"
          bare
          confirm={`Delete the ${threadTotal.toLocaleString("en")} messages to ${to} by ${channel}?`}
        />
      </div>
    </header>
  );
}
