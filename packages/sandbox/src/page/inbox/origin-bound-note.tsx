import { type OriginBoundProblem, readOriginBound } from "../../service/origin-bound.ts";
import type { Message } from "../../state/message.ts";
import { type Html, nothing } from "../components/html.ts";
import { Icon } from "../components/icon.tsx";

/** Tells at which host browsers fill in the code of a text, or why they do not. Nothing for a text without such a code. */
export function OriginBoundNote({ message: { channel, text } }: { readonly message: Message }): Html {
  const read = channel === "SMS" ? readOriginBound(text) : undefined;
  if (!read) return nothing;
  const { bound, problem } = read;
  if (problem !== undefined) return <Note tone="bad" text={`Browsers do not fill this code in: ${reasons[problem]}`} />;
  if (!bound) return nothing;
  if (isLocal(bound.host)) return <Note tone="good" text={`Browsers fill this code in at ${bound.host}.`} />;
  return <Note tone="soft" text={`Browsers fill this code in at ${bound.host} only, and not at localhost.`} />;
}

function Note({ tone, text }: { readonly tone: "good" | "bad" | "soft"; readonly text: string }): Html {
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

function isLocal(host: string): boolean {
  return host === "localhost" || host.endsWith(".localhost") || host.startsWith("127.");
}
