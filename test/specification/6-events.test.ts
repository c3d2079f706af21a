import { describePart } from "./describe-part.ts";
import { showGuarantees } from "./events/guarantees.ts";
import { showKinds } from "./events/kinds.ts";
import { showReceiverContract } from "./events/receiver-contract.ts";
import { showRetrySchedule } from "./events/retry-schedule.ts";
import { showRouting } from "./events/routing.ts";

describePart(6, (show) => {
  showKinds(show);
  showRouting(show);
  showReceiverContract(show);
  showGuarantees(show);
  showRetrySchedule(show);
});
