import type { ScheduledTask } from "../state/scheduled-task.ts";
import { applyOutcome, markSent } from "./message-status.ts";
import type { Service } from "./service.ts";
import { timeOutChannel } from "./try-next-channel.ts";
import { conclude } from "./verification-status.ts";

/**
 * Runs a scheduled task. It has no effect when its message, verification or delivery has ended meanwhile.
 *
 * @param attemptDelivery - makes the next attempt of a delivery.
 */
export function runTask(
  service: Service,
  { task }: ScheduledTask,
  attemptDelivery: (deliveryId: string) => void,
): void {
  switch (task.kind) {
    case "message.sent":
      markSent(service, task.messageId);
      break;
    case "message.outcome":
      applyOutcome(service, task.messageId);
      break;
    case "channel.timeout":
      timeOutChannel(service, task.verificationId, task.messageId);
      break;
    case "verification.expiry":
      conclude(service, task.verificationId, "EXPIRED");
      break;
    case "delivery.attempt":
      attemptDelivery(task.deliveryId);
      break;
  }
}
