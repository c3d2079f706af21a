import type { Plan } from "../state/plan.ts";
import { arrive, leave } from "./message-course.ts";
import type { Service } from "./service.ts";
import { timeOutChannel } from "./try-next-channel.ts";
import { conclude } from "./verification-progress.ts";

/**
 * Does what a plan says, now that its time has come. What it was about may have ended meanwhile: then
 * nothing happens.
 *
 * @param attempt - makes the next attempt of a delivery.
 */
export function performPlan(service: Service, { task }: Plan, attempt: (deliveryId: string) => void): void {
  switch (task.kind) {
    case "message.sent":
      leave(service, task.messageId);
      break;
    case "message.outcome":
      arrive(service, task.messageId);
      break;
    case "channel.timeout":
      timeOutChannel(service, task.verificationId, task.messageId);
      break;
    case "verification.expiry":
      conclude(service, task.verificationId, "EXPIRED");
      break;
    case "delivery.attempt":
      attempt(task.deliveryId);
      break;
  }
}
