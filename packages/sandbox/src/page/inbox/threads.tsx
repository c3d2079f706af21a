import { channels } from "../../state/message.ts";
import { CodeChip, FilterForm, PostButton, Select } from "../components/controls.tsx";
import { EmptyNote, type Html, OlderLink } from "../components/elements.tsx";
import { applicationPath, threadPath } from "../components/paths.ts";
import { ChannelTag, channelName, Instant } from "../components/status.tsx";
import { type InboxResult, inboxPath, type Thread, threadKey } from "./inbox-query.ts";
import { Highlight } from "./search.tsx";

/** The properties of the panes of the inbox. */
export interface PaneProps {
  readonly inbox: InboxResult;
  /** Now, in Unix milliseconds on the application's clock. */
  readonly now: number;
}

/** Shows the threads, the one with the newest message first. */
export function ThreadPane({ inbox, now }: PaneProps): Html {
  const { applicationId, query, threads } = inbox;
  const older = threads.older && inboxPath(applicationId, query, query.thread, { threads: threads.older });
  return (
    <section class="list-pane" aria-label="Threads" id="threads">
      <PaneHead inbox={inbox} />
      <ul class="rows" id="thread-rows">
        <li class="all-row">
          <a href={inboxPath(applicationId, query)} id="row-all" aria-current={query.thread ? undefined : "true"}>
            Latest of all numbers
          </a>
        </li>
        {threads.items.map((thread) => (
          <ThreadRow thread={thread} inbox={inbox} now={now} />
        ))}
      </ul>
      {threads.items.length === 0 && <EmptyNote>Nothing matches.</EmptyNote>}
      <OlderLink href={older} items="threads" />
    </section>
  );
}

function PaneHead({ inbox: { applicationId, query, total } }: Pick<PaneProps, "inbox">): Html {
  // A phone shows only the open thread, so the thread has the page's first heading.
  const Title = query.thread ? "h2" : "h1";
  return (
    <header class="pane-head">
      <div class="row">
        <Title>Inbox</Title>
        <span class="soft">{total.toLocaleString("en")}</span>
        <span class="push" />
        <button type="button" class="bare text" data-read-all>
          Mark all read
        </button>
        <PostButton
          action={applicationPath(applicationId, "messages", "delete")}
          label="Delete all messages"
          icon="trash"
          bare
          confirm={`Delete all ${total.toLocaleString("en")} messages of this application?`}
        />
      </div>
      <FilterForm
        action={inboxPath(applicationId, { search: "", channel: "" }, query.thread)}
        search={query.search}
        label="Number, text or code"
      >
        <Select name="channel" label="Channel" choices={channelChoices} chosen={query.channel} />
      </FilterForm>
    </header>
  );
}

const channelChoices = [
  { value: "", label: "All channels" },
  ...channels.map((channel) => ({ value: channel, label: channelName(channel) })),
];

interface ThreadRowProps extends PaneProps {
  readonly thread: Thread;
}

function ThreadRow({ thread, inbox: { applicationId, query }, now }: ThreadRowProps): Html {
  const { to, channel, newest, count } = thread;
  const isOpen = query.thread !== undefined && threadKey(query.thread) === threadKey(thread);
  const path = threadPath(applicationId, thread);
  return (
    <li class="thread-row" id={`row-${path}`}>
      <a
        href={inboxPath(applicationId, query, thread)}
        id={`link-${path}`}
        data-row
        data-thread={path}
        data-newest={newest.id}
        aria-current={isOpen ? "true" : undefined}
      >
        <span class="line">
          <strong class="number">{to}</strong>
          <span class="unread" data-unread hidden></span>
          <span class="push" />
          <Instant at={newest.timeline[0].at} now={now} />
        </span>
        <span class="line">
          <span class="snippet">
            <Highlight text={newest.text} search={query.search} />
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
