import { definePhoneLogin } from "./element.ts";

// The declarations keep this line and drop the import of a value: with it, who imports `./define` has the types of the element's events.
export type { PhoneLogin } from "./element.ts";

// Frameworks import the modules of a page on their servers, too, and not every server is Node. A test may have a page's globals there.
if (globalThis.HTMLElement) definePhoneLogin();
