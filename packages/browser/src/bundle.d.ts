/** The module of `<phone-login>` and the style sheet as texts, which `scripts/bundle.ts` writes. */
export declare const phoneLoginScript: string;
export declare const phoneLoginStyle: string;
