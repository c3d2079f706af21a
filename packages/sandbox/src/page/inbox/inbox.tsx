import type { Child } from "hono/jsx";
import type { Html } from "../html.ts";
import { EmptyInbox, type EmptyInboxProps } from "./empty-inbox.tsx";
import type { InboxView } from "./inbox-view.ts";
import { MessagePane } from "./message-pane.tsx";
import { ThreadPane } from "./thread-pane.tsx";

/** What {@link Inbox} shows. */
export interface InboxProps {
  readonly view: InboxView;
  /** Now, on the clock of the application. */
  readonly now: number;
  /** How to send a first message. */
  readonly start: EmptyInboxProps;
}

/** The inbox: threads at the left and messages at the right; on a phone one of the two. */
export function Inbox({ view, now, start }: InboxProps): Html {
  if (view.total === 0 && !view.query.thread) return <EmptyInbox {...start} />;
  return (
    <Panes open={view.query.thread !== undefined}>
      <ThreadPane view={view} now={now} />
      <MessagePane view={view} now={now} />
    </Panes>
  );
}

function Panes({ open, children }: { readonly open: boolean; readonly children: Child }): Html {
  return <div class={open ? "panes open" : "panes"}>{children}</div>;
}
