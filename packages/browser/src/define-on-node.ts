import { definePhoneLogin } from "./element.ts";

// What `./define` is on Node: frameworks import the modules of a page on the server, too. A test may have a page's globals there.
if (globalThis.HTMLElement) definePhoneLogin();
