import { describePart } from "./describe-part.ts";
import { showConfirmation } from "./resources/confirmation.ts";
import { showMessages } from "./resources/messages.ts";
import { showPlatform } from "./resources/platform.ts";
import { showSenders } from "./resources/senders.ts";
import { showVerifications } from "./resources/verifications.ts";

describePart(2, (show) => {
  showPlatform(show);
  showMessages(show);
  showSenders(show);
  showVerifications(show);
  showConfirmation(show);
});
