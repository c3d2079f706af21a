import { definePhoneLogin } from "./element.ts";

// The declarations keep this line and drop the import of a value: with it, who imports `./define` has the types of the element's events.
export type { PhoneLogin } from "./element.ts";

definePhoneLogin();
