/** The module of `<phone-login>`, which `scripts/bundle-browser.ts` writes as a text. */
export declare const phoneLoginScript: string;
/** The style sheet of `<phone-login>`, which `scripts/bundle-browser.ts` writes as a text. */
export declare const phoneLoginStyle: string;
