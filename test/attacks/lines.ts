/** One line of the list of attacks and faults. */
export interface Line {
  /** L for a login, W for a webhook. It never changes its meaning: titles of tests begin with it. */
  readonly id: string;
  /** The invariant. */
  readonly holds: string;
  /** The part that is not built yet, and so has no test. */
  readonly notBuilt?: string;
}

/** Every line, in the order of the document. */
export const lines: readonly Line[] = [
  { id: "L1", holds: "Replaying an earlier cookie restores no attempts, logs in only once and sends no more codes." },
  { id: "L2", holds: "Of 100 parallel wrong codes 5 are evaluated; of 100 parallel right ones one logs in." },
  { id: "L3", holds: "Attempts stay counted when the app rolls its own work back." },
  { id: "L4", holds: "No new code or login resets the failures of a number; they close it or make its codes longer." },
  {
    id: "L5",
    holds: "Strangers slow a number down, never a device that logged in before; longer codes lock nobody out.",
  },
  { id: "L6", holds: "Number, purpose, user and verification come from the stored login, never from the request." },
  { id: "L7", holds: "A missing, empty or unreadable entry of the store is refused like a login that does not exist." },
  { id: "L8", holds: "A code expires at a fixed time: right one second before, refused from then on." },
  { id: "L9", holds: "The store holds no code, only keyed digests; codes are uniform over 000000 to 999999." },
  { id: "L10", holds: "Logs, events, errors and answers contain no code, full phone number, key or secret." },
  { id: "L11", holds: "Only a POST from a page of the app, or from a program, sends a code." },
  {
    id: "L12",
    holds: "The last line of a text of the kit binds the code to the configured host; browsers can read it.",
  },
  {
    id: "L13",
    holds: "The client's address is the framework's own answer, IPv6 by /64; unknown ones share one bucket.",
  },
  { id: "L14", holds: "All spellings of a number, and all processes, share the budgets of that number." },
  { id: "L15", holds: "Budgets are reserved before a send; a send that certainly failed gives them back." },
  {
    id: "L16",
    holds: "Refusals are open; a number to which the app suppresses codes looks like any other, in time too.",
  },
  { id: "L17", holds: "A login is stored before its code is sent, so an early webhook finds it." },
  {
    id: "L18",
    holds: "After a time-out or 5xx an attempt is used and the login stays; a final answer ends it.",
  },
  { id: "L19", holds: "After an approval the same code completes the login once, even when the process dies." },
  { id: "L20", holds: "A login starts a new session, and ends the old one and the other logins of its number." },
  { id: "L21", holds: "A logout invalidates every copy of the cookie." },
  { id: "L22", holds: "An attacker's code that is posted from the victim's browser logs nobody in." },
  {
    id: "L23",
    holds: "Test numbers need a list and a last day, and never reach the service.",
  },
  {
    id: "L24",
    holds: "While the store is down, requests fail closed with 503; afterwards they work without a restart.",
  },
  {
    id: "L25",
    holds: "Blocks of numbers whose logins are not confirmed get no more codes; honest ones and solved challenges do.",
  },
  { id: "L26", holds: "Cookies of the app and of the kit arrive together, in either order." },
  { id: "L27", holds: "createDoorcode rejects a wrong option and names the option and the fix; 0 means zero." },
  { id: "L28", holds: "Every spelling of a phone number, in every country, is read as that number or refused." },
  {
    id: "L29",
    holds: "A late code is right after a resend when the app owns the codes, and no further code becomes right.",
  },
  {
    id: "L30",
    holds: "A cookie sealed with a leaked password claims nothing; endAll ends all earlier sessions and no later one.",
  },
  { id: "L31", holds: "A link or step-up ends with its session, and a step-up proves the number of today." },
  { id: "L32", holds: "Without origins only requests to this machine are served." },
  {
    id: "L33",
    holds: "All devices of a number share a total of codes a day and wrong codes; eight are known at most.",
  },
  {
    id: "L34",
    holds: "An answer that judges no code costs no pause and no failure; one that compared nothing costs no attempt.",
  },
  {
    id: "L35",
    holds: "Only 400 with a known code is a wrong code; every other 4xx is a check that failed.",
  },
  {
    id: "L36",
    holds: "Nothing is given back before what replaces it is written: five codes of a login are evaluated at most.",
  },
  {
    id: "L37",
    holds: "A closed block or address gets no resend, and a second resend of a login counts.",
  },
  { id: "L38", holds: "A verify makes no number and no device known to the limits of logins." },
  {
    id: "L39",
    holds: "Published secrets work only beside a service on this machine, in every function that takes a secret.",
  },
  { id: "L40", holds: "After a double click only the code that was approved is right." },
  {
    id: "L41",
    holds: "No phone number reaches the kit's errors, events or warnings in a request_id or an app's error.",
  },
  {
    id: "L42",
    holds: "A known device is no factor: it replaces no code, neither at a login nor at a step-up.",
  },
  { id: "L43", holds: "A token is no cookie and a cookie no token; no header turns the origin check off." },
  { id: "L44", holds: "A page of a website gets no tokens where browsers have cookies." },
  {
    id: "L45",
    holds: "A proof is accepted only whole, in time, under its app's password, and for its app, audience and binding.",
  },
  {
    id: "L46",
    holds: "A user's removals run one at a time; a removed number's logins, past and devices end, whatever fails.",
  },
  { id: "W1", holds: "The signature covers the exact bytes of the body, and every changed body is refused." },
  { id: "W2", holds: "Missing and malformed headers are refused with 401, and nothing is processed." },
  { id: "W3", holds: "A timestamp is accepted up to 300 seconds from now, in both directions." },
  { id: "W4", holds: "The v1 signature is found among others, and several secrets are accepted." },
  { id: "W5", holds: "A body that something else has read is an error with a code of its own, at once." },
  { id: "W6", holds: "The kit gets the exact bytes below every parser of the app; compressed bodies are refused." },
  { id: "W7", holds: "The size limit applies while reading; a client that hangs up leaves nothing behind." },
  { id: "W8", holds: "Duplicate, stale and unknown events get 2xx, and handlers run at most once." },
  { id: "W9", holds: "A failing handler is answered with 5xx and runs again; success waits for the handler." },
  { id: "W10", holds: "A slow handler is answered with 503 after 4 seconds, and never runs twice at once." },
  { id: "W11", holds: "After a kill at any point, every event is handled and each keyed effect stands once." },
  { id: "W12", holds: "A process cannot complete or release what another process has taken over." },
  { id: "W13", holds: "Events are ordered by their instants; a terminal status of a message is never replaced." },
  { id: "W14", holds: "When DELIVERED arrives before SENT, SENT is not handled." },
  { id: "W15", holds: "Old and new secrets are accepted while both are configured, then only the new one." },
  { id: "W16", holds: "A handler that never settles loses its lease at its limit, and its signal aborts." },
  { id: "W17", holds: "Two different events of one entity at the same instant are both handled." },
  { id: "W18", holds: "Only success: true in a 2xx approves a confirmation." },
  { id: "W19", holds: "Headers are judged before the body is read, and reading a body ends after five seconds." },
  {
    id: "W20",
    holds: "Bytes that are not verified are bounded for all requests together; a byte takes about a byte of memory.",
  },
  { id: "W21", holds: "An instant more than a day ahead makes no later event stale." },
  {
    id: "W22",
    holds: "Once a handler has begun and was not rolled back, no older event of its entity is handled.",
  },
];
