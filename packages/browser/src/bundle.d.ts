/** The text of the module that defines `<phone-login>`, with all that it needs: for an app without a bundler. */
export declare const phoneLoginScript: string;
/** The text of the style sheet. */
export declare const phoneLoginStyle: string;
