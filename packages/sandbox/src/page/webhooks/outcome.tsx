import type { Delivery } from "../../state/delivery.ts";
import { attemptWords } from "../attempt-words.ts";
import { Status } from "../controls/status.tsx";
import { Countdown } from "../duration.tsx";
import { type Html, nothing } from "../html.ts";

/** What became of a delivery, in words that no message has: `DELIVERED` is a message's. */
export function Outcome({ delivery }: { readonly delivery: Delivery }): Html {
  const { status, attempts, nextAttemptAt } = delivery;
  if (status === "delivered") return <Status tone="good">Acknowledged</Status>;
  if (status === "failed") return <Status tone="bad">Given up</Status>;
  if (nextAttemptAt === undefined || attempts.length === 0) return <Status tone="busy">Sending</Status>;
  return <Status tone="warn">Retrying</Status>;
}

/** Why the last attempt failed; nothing when it did not. */
export function FailureCause({ delivery }: { readonly delivery: Delivery }): Html {
  const last = delivery.attempts.at(-1);
  if (!last || delivery.status === "delivered") return nothing;
  return <span class="cause">{attemptWords(last, delivery.url)}</span>;
}

/** When the next attempt is made. It stands still while the clock does. */
export function NextAttempt({ delivery, now }: { readonly delivery: Delivery; readonly now: number }): Html {
  const { nextAttemptAt, attempts } = delivery;
  if (nextAttemptAt === undefined || attempts.length === 0) return nothing;
  return (
    <span class="soft">
      next attempt <Countdown until={nextAttemptAt} now={now} />
    </span>
  );
}
