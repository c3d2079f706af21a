import { EmptyNote, type Html, PostButton, Select } from "@doorcode/operations/page-parts";
import { CodeChip, FilterForm } from "../components/controls.tsx";
import { Phone } from "../components/digits.tsx";
import { OlderLink } from "../components/list.tsx";
import { applicationPath, threadPath } from "../components/paths.ts";
import { ChannelTag, channelNames, Instant } from "../components/status.tsx";
import { highlighted, inboxPath, type ShownInbox, type Thread, threadKey } from "./inbox-query.tsx";

/** Shows the threads, the one with the newest message first. */
export function ThreadPane(inbox: ShownInbox): Html {
  const { thread: open, threads } = inbox;
  const older = threads.older && inboxPath(inbox, open, { threads: threads.older });
  return (
    <section class="list-pane" aria-label="Threads" id="threads">
      <PaneHead {...inbox} />
      <ul class="rows" id="thread-rows">
        <li class="all-row">
          <a href={inboxPath(inbox)} id="row-all" aria-current={open ? undefined : "true"}>
            Latest of all numbers
          </a>
        </li>
        {threads.items.map((thread) => threadRow(thread, inbox))}
      </ul>
      {threads.items.length === 0 && <EmptyNote>Nothing matches.</EmptyNote>}
      <OlderLink href={older} items="threads" />
    </section>
  );
}

function PaneHead(inbox: ShownInbox): Html {
  const { applicationId, thread, search, channel, total } = inbox;
  // A phone shows only the open thread, so the thread has the page's first heading.
  const Title = thread ? "h2" : "h1";
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
        action={inboxPath({ ...inbox, search: "", channel: "" }, thread)}
        search={search}
        label="Number, text or code"
      >
        <Select name="channel" label="Channel" choices={{ "": "All channels", ...channelNames }} chosen={channel} />
      </FilterForm>
    </header>
  );
}

function threadRow(thread: Thread, inbox: ShownInbox): Html {
  const { to, channel, newest, newestId, count } = thread;
  const isOpen = inbox.thread !== undefined && threadKey(inbox.thread) === threadKey(thread);
  const path = threadPath(inbox.applicationId, thread);
  return (
    <li class="thread-row" id={`row-${path}`}>
      <a
        href={inboxPath(inbox, thread)}
        id={`link-${path}`}
        data-row
        data-thread={path}
        data-newest={newestId}
        aria-current={isOpen ? "true" : undefined}
      >
        <span class="line">
          <strong class="number">
            <Phone number={to} />
          </strong>
          <span class="unread" data-unread hidden></span>
          <span class="push" />
          <Instant at={newest.timeline[0].at} now={inbox.now} />
        </span>
        <span class="line">
          <span class="snippet">{highlighted(newest.text, inbox.search)}</span>
        </span>
        <span class="line">
          <ChannelTag channel={channel} />
          {newest.sender !== undefined && (
            <span class="soft">
              <Phone number={newest.sender} />
            </span>
          )}
          {count > 1 && <span class="soft">{count.toLocaleString("en")} messages</span>}
        </span>
      </a>
      {newest.code !== undefined && <CodeChip code={newest.code} small />}
    </li>
  );
}
