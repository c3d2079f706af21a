import { definePhoneLogin } from "./element.ts";

// As in `define.ts`: TypeScript may take the declarations of this file, for those of a page too.
export type { PhoneLogin } from "./element.ts";

// What `./define` is on Node: frameworks import the modules of a page on the server, too. A test may have a page's globals there.
if (globalThis.HTMLElement) definePhoneLogin();
