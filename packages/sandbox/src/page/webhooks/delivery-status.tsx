import { type Delivery, lastUnchangedAttempt } from "../../state/delivery.ts";
import { type Html, nothing } from "../components/html.ts";
import { Countdown } from "../components/instant.tsx";
import { deliveryStatusText, Status } from "../components/status.tsx";
import { attemptText } from "./attempt-text.ts";

/** Shows the status of a delivery. */
export function Outcome({ delivery }: { readonly delivery: Delivery }): Html {
  const { status, attempts, nextAttemptAt } = delivery;
  if (status === "delivered") return <Status tone="good">{deliveryStatusText(status)}</Status>;
  if (status === "failed") return <Status tone="bad">{deliveryStatusText(status)}</Status>;
  if (nextAttemptAt === undefined || attempts.length === 0) return <Status tone="busy">Sending</Status>;
  return <Status tone="warn">Retrying</Status>;
}

/** Shows the result of the last attempt, unless the delivery was acknowledged. */
export function FailureCause({ delivery }: { readonly delivery: Delivery }): Html {
  const last = lastUnchangedAttempt(delivery);
  if (!last || delivery.status === "delivered") return nothing;
  return <span class="cause">{attemptText(last, delivery.url)}</span>;
}

/** Shows the time until the next attempt. */
export function NextAttempt({ delivery, now }: { readonly delivery: Delivery; readonly now: number }): Html {
  const { nextAttemptAt, attempts } = delivery;
  if (nextAttemptAt === undefined || attempts.length === 0) return nothing;
  return (
    <span class="soft">
      next attempt <Countdown until={nextAttemptAt} now={now} />
    </span>
  );
}
