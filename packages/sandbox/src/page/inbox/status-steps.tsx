import type { MessageStatus, MessageStep } from "../../state/message.ts";
import { Icon } from "../controls/icon.tsx";
import { statusWord, toneOf } from "../controls/status.tsx";
import type { Html } from "../html.ts";
import { Instant } from "../instant.tsx";

/** The steps of a message in their order, each with its time. */
export function StatusSteps({ timeline }: { readonly timeline: readonly MessageStep[] }): Html {
  return (
    <ol class="steps" aria-label="Delivery">
      {timeline.map(({ status, at }, index) => (
        <li class={`${toneOf(status)}${index === timeline.length - 1 ? " last" : ""}`}>
          <Sign status={status} />
          {statusWord(status)} <Instant at={at} precise />
        </li>
      ))}
    </ol>
  );
}

function Sign({ status }: { readonly status: MessageStatus }): Html {
  if (status === "FAILED") return <Icon name="cross" />;
  return status === "DELIVERED" ? <Icon name="check" /> : <span class="dot" />;
}
