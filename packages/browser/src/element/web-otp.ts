/** A request to the browser for the code of the next text message. */
export interface WebOtp {
  /** Asks, if the browser can; ends the request before. */
  ask(onCode: (code: string) => void): void;
  /** Ends the request. */
  abort(): void;
}

/** Creates the way to a code of the browser itself: WebOTP. One request at a time; every failure is ignored. */
export function createWebOtp(): WebOtp {
  let controller: AbortController | undefined;
  const abort = () => controller?.abort();

  return {
    abort,
    ask(onCode) {
      abort();
      if (!("OTPCredential" in window)) return;
      controller = new AbortController();
      const { signal } = controller;
      const options = { otp: { transport: ["sms"] }, signal } as CredentialRequestOptions;
      navigator.credentials.get(options).then(
        (credential) => {
          const code = (credential as { readonly code?: unknown } | null)?.code;
          if (!signal.aborted && typeof code === "string") onCode(code);
        },
        // Refused by the person, too late, aborted or not allowed: the code can be typed.
        () => {},
      );
    },
  };
}
