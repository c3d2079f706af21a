import { address, threadAddress } from "../address.ts";
import { Empty, Older } from "../controls/card.tsx";
import { ChannelTag } from "../controls/channel.tsx";
import { CodeChip } from "../controls/copy.tsx";
import { PostButton } from "../controls/form.tsx";
import type { Html } from "../html.ts";
import { Instant } from "../instant.tsx";
import { type InboxView, inboxAddress, threadPlace } from "./inbox-view.ts";
import { Marked } from "./marked.tsx";
import { SearchForm } from "./search-form.tsx";
import type { Thread } from "./thread-index.ts";

/** What the panes of the inbox show. */
export interface PaneProps {
  readonly view: InboxView;
  readonly now: number;
}

/** The threads, the one with the newest message first. */
export function ThreadPane({ view, now }: PaneProps): Html {
  const { applicationId, query, threads, total } = view;
  const older = threads.older && inboxAddress(applicationId, query, query.thread, { threads: threads.older });
  // On a phone the open thread is all there is, so the thread is what the page is about.
  const Title = query.thread ? "h2" : "h1";
  return (
    <section class="list-pane" aria-label="Threads" id="threads">
      <header class="pane-head">
        <div class="row">
          <Title>Inbox</Title>
          <span class="soft">{total.toLocaleString("en")}</span>
          <span class="push" />
          <button type="button" class="bare text" data-read-all>
            Mark all read
          </button>
          <PostButton
            action={address(applicationId, "messages", "delete")}
            label="Delete all messages"
            icon="trash"
            bare
            confirm={`Delete all ${total.toLocaleString("en")} messages of this application?`}
          />
        </div>
        <SearchForm view={view} />
      </header>
      <ul class="rows" id="thread-rows">
        <li class="all-row">
          <a href={inboxAddress(applicationId, query)} id="row-all" aria-current={query.thread ? undefined : "true"}>
            Latest of all numbers
          </a>
        </li>
        {threads.items.map((thread) => (
          <ThreadRow thread={thread} view={view} now={now} />
        ))}
      </ul>
      {threads.items.length === 0 && <Empty>Nothing matches.</Empty>}
      <Older href={older} what="threads" />
    </section>
  );
}

interface ThreadRowProps extends PaneProps {
  readonly thread: Thread;
}

function ThreadRow({ thread, view: { applicationId, query }, now }: ThreadRowProps): Html {
  const { to, channel, newest, count } = thread;
  const open = query.thread !== undefined && threadPlace(query.thread) === threadPlace(thread);
  const path = threadAddress(applicationId, thread);
  return (
    <li class="thread-row" id={`row-${path}`}>
      <a
        href={inboxAddress(applicationId, query, thread)}
        id={`link-${path}`}
        data-row
        data-thread={path}
        data-newest={newest.id}
        aria-current={open ? "true" : undefined}
      >
        <span class="line">
          <strong class="number">{to}</strong>
          <span class="unread" data-unread hidden></span>
          <span class="push" />
          <Instant at={newest.timeline[0].at} now={now} />
        </span>
        <span class="line">
          <span class="snippet">
            <Marked text={newest.text} search={query.search} />
          </span>
        </span>
        <span class="line">
          <ChannelTag channel={channel} />
          {newest.sender !== undefined && <span class="soft">{newest.sender}</span>}
          {count > 1 && <span class="soft">{count.toLocaleString("en")} messages</span>}
        </span>
      </a>
      {newest.code !== undefined && <CodeChip code={newest.code} small />}
    </li>
  );
}
