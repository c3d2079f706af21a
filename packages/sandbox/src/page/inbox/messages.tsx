import { EmptyNote, type Html, Icon, nothing, PostButton } from "@doorcode/operations/page-parts";
import { isLoopbackHostname } from "../../primitives/loopback.ts";
import { type OriginBoundProblem, readOriginBound } from "../../service/origin-bound.ts";
import { encodingOf } from "../../service/segments.ts";
import type { Message, MessageStep } from "../../state/message.ts";
import { CodeChip } from "../components/controls.tsx";
import { Phone, phoneText } from "../components/digits.tsx";
import { OlderLink } from "../components/list.tsx";
import { applicationPath, type ThreadName, threadPath } from "../components/paths.ts";
import { ChannelTag, channelName, Instant, statusText, toneOf } from "../components/status.tsx";
import { highlighted, inboxPath, type ShownInbox } from "./inbox-query.tsx";

/** Shows the messages of the open thread, or the newest of all threads, the newest first. */
export function MessagePane(inbox: ShownInbox): Html {
  const { thread, search, messages } = inbox;
  const older = messages.older && inboxPath(inbox, thread, { before: messages.older });
  return (
    <section class="detail-pane" aria-label="Messages" id="messages">
      {thread ? threadHead(thread, inbox) : latestHead(search)}
      <ol class="bubbles" id="bubbles">
        {messages.items.map((message) => bubble(message, inbox))}
      </ol>
      {messages.items.length === 0 && <EmptyNote>{search === "" ? "No messages here." : "Nothing matches."}</EmptyNote>}
      <OlderLink href={older} items="messages" />
    </section>
  );
}

function latestHead(search: string): Html {
  return (
    <header class="pane-head">
      <div class="row">
        <h2>Latest</h2>
        <span class="soft">{search === "" ? "of all numbers" : `with “${search}”`}</span>
      </div>
    </header>
  );
}

function threadHead(thread: ThreadName, inbox: ShownInbox): Html {
  const { applicationId, threadTotal } = inbox;
  const { to, channel } = thread;
  const count = threadTotal.toLocaleString("en");
  return (
    <header class="pane-head" data-reads={threadPath(applicationId, thread)}>
      <div class="row">
        <a class="button bare back" href={inboxPath(inbox)} id="back" aria-label="Back to the threads">
          <Icon name="back" />
        </a>
        <span class={`avatar ${channel.toLowerCase()}`} aria-hidden="true">
          <Icon name={channel === "VOICE" ? "call" : "phone"} />
        </span>
        <div>
          <h1>
            <Phone number={to} />
          </h1>
          <p class="soft">
            <ChannelTag channel={channel} /> {count} {threadTotal === 1 ? "message" : "messages"}
          </p>
        </div>
        <span class="push" />
        <PostButton
          action={applicationPath(applicationId, "threads", to, channel, "delete")}
          label="Delete this thread"
          icon="trash"
          bare
          confirm={`Delete the ${count} messages to ${phoneText(to)} by ${channel}?`}
        />
      </div>
    </header>
  );
}

/** Shows a message as on a phone, with its statuses below. */
function bubble(message: Message, inbox: ShownInbox): Html {
  const { id, applicationId, channel, text, code, timeline } = message;
  return (
    <li class="message" id={id} data-message={id}>
      {bubbleHead(message, inbox)}
      <div class={`bubble ${channel.toLowerCase()}`}>
        <p class="text">{highlighted(text, inbox.search)}</p>
        {code !== undefined && <CodeChip code={code} />}
        {originBoundNote(message)}
      </div>
      <footer class="message-foot">
        {statusSteps(timeline)}
        <span class="push" />
        <span class="soft">{sizeText(message)}</span>
        {message.verificationId !== undefined && (
          <a class="soft" href={applicationPath(applicationId, "verifications", message.verificationId)}>
            Verification
          </a>
        )}
      </footer>
    </li>
  );
}

function bubbleHead(message: Message, { thread, now }: ShownInbox): Html {
  const { id, applicationId, to, channel, sender, timeline } = message;
  return (
    <div class="message-head">
      {thread === undefined && (
        <>
          <a href={threadPath(applicationId, message)} class="number" id={`of-${id}`}>
            <Phone number={to} />
          </a>
          <ChannelTag channel={channel} />
        </>
      )}
      {sender !== undefined && senderName(sender)}
      <span class="push" />
      <Instant at={timeline[0].at} now={now} />
      <PostButton
        action={applicationPath(applicationId, "messages", id, "delete")}
        label={`Delete the message to ${phoneText(to)}`}
        icon="trash"
        bare
      />
    </div>
  );
}

function sizeText({ channel, segments, text }: Message): string {
  if (channel !== "SMS") return channelName(channel);
  return `${segments} ${segments === 1 ? "segment" : "segments"} · ${encodingOf(text)}`;
}

function senderName(sender: string): Html {
  const isOneWay = !sender.startsWith("+");
  const meaning = isOneWay
    ? "A sender ID is one-way: recipients cannot reply to it."
    : "A rented number can receive replies. Receiving is announced for Q3 2026.";
  return (
    <span class="sender">
      from{" "}
      <strong>
        <Phone number={sender} />
      </strong>{" "}
      <span class="way" title={meaning}>
        {isOneWay ? "one-way" : "two-way capable"}
      </span>
    </span>
  );
}

const outcomeIcons = { FAILED: "cross", DELIVERED: "check" } as const;

function statusSteps(timeline: readonly MessageStep[]): Html {
  return (
    <ol class="steps" aria-label="Delivery">
      {timeline.map(({ status, at }, index) => (
        <li class={`${toneOf(status)}${index === timeline.length - 1 ? " last" : ""}`}>
          {status === "FAILED" || status === "DELIVERED" ? <Icon name={outcomeIcons[status]} /> : <span class="dot" />}
          {statusText(status)} <Instant at={at} precise />
        </li>
      ))}
    </ol>
  );
}

/** Tells at which host browsers fill in the code of a text, or why they do not. Nothing for a text without such a code. */
function originBoundNote({ channel, text }: Message): Html {
  const read = channel === "SMS" ? readOriginBound(text) : undefined;
  if (!read) return nothing;
  const { bound, problem } = read;
  if (problem !== undefined) return note("bad", `Browsers do not fill this code in: ${reasons[problem]}`);
  if (!bound) return nothing;
  return isLoopbackHostname(bound.host)
    ? note("good", `Browsers fill this code in at ${bound.host}.`)
    : note("soft", `Browsers fill this code in at ${bound.host} only, and not at localhost.`);
}

function note(tone: "good" | "bad" | "soft", text: string): Html {
  return (
    <p class={`fills-in ${tone}`}>
      <Icon name={tone === "bad" ? "cross" : "check"} />
      {text}
    </p>
  );
}

const reasons: Readonly<Record<OriginBoundProblem, string>> = {
  not_last_line: "the line with @ and # is not the last one.",
  wrong_form: "the last line must be @, the host, one space, # and the code, and nothing else.",
  too_long: "the text is longer than 140 characters.",
};
