import type { LoginProblem } from "../client/problem.ts";
import type { TimedCodeSentState, TimedLoginState } from "../client/timed-state.ts";

/** The details of the events of `<phone-login>`. All of them bubble. */
export interface PhoneLoginEvents {
  /** A code was sent, or sent again. */
  readonly "phone-login:sent": { readonly state: TimedCodeSentState; readonly action: "start" | "resend" };
  /** The login is complete. Prevent the event to stay on the page. */
  readonly "phone-login:confirmed": { readonly state: TimedLoginState };
  /** An action was refused. */
  readonly "phone-login:problem": { readonly problem: LoginProblem };
  /** The app wants a challenge: show it, in `container` or elsewhere, and pass its token to `solve`, which repeats the action. */
  readonly "phone-login:challenge": {
    readonly action: "start" | "resend";
    readonly container: Element | null;
    readonly solve: (token: string) => void;
  };
  /** The state has changed. */
  readonly "phone-login:statechange": { readonly state: TimedLoginState };
  /** All digits came in one change, and are about to be sent. Prevent the event to leave that to the button. */
  readonly "phone-login:autosubmit": Record<string, never>;
}

/** The names of the events. */
export type PhoneLoginEventName = keyof PhoneLoginEvents;

/** Dispatches an event, and returns false if it was prevented. The app can prevent the events that lead to an action. */
export function dispatch<Name extends PhoneLoginEventName>(
  target: EventTarget,
  name: Name,
  detail: PhoneLoginEvents[Name],
  cancelable = false,
): boolean {
  return target.dispatchEvent(new CustomEvent(name, { detail, bubbles: true, composed: true, cancelable }));
}

type TypedEvents = { readonly [Name in PhoneLoginEventName]: CustomEvent<PhoneLoginEvents[Name]> };

declare global {
  // The events bubble, so a document and a window see them too.
  interface GlobalEventHandlersEventMap extends TypedEvents {}
}
