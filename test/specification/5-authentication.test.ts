import { showApiKeys } from "./authentication/api-keys.ts";
import { showSigning } from "./authentication/signing.ts";
import { describePart } from "./describe-part.ts";

describePart(5, (show) => {
  showApiKeys(show);
  showSigning(show);
});
