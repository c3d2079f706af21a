import { statuses } from "./app.ts";
import { type Evaluation, type ExploredRequest, type History, isDisturbed, type Raise } from "./history.ts";

/** What holds after every schedule. */
export interface Invariant {
  readonly holds: string;
  /** Returns how it does not hold, if so. */
  broken(history: History): string | undefined;
}

/** Every invariant. */
export const invariants: readonly Invariant[] = [
  {
    holds: "Every request of a running process is answered.",
    broken: ({ isEnded }) => (isEnded ? undefined : "A request has no end."),
  },
  {
    holds: "Of one login at most five codes are evaluated before the approval of one is written.",
    broken({ evaluations }) {
      const before = evaluations.filter(({ isAfterApproval }) => !isAfterApproval);
      const tooMany = grouped(before, ({ request }) => request.login).find(({ length }) => length > 5);
      return tooMany && `${tooMany.length} codes were evaluated.`;
    },
  },
  {
    holds: "After the third code of a login whose answer came, the next one is evaluated after a pause.",
    broken(history) {
      if (history.requests.some(isSlow)) return undefined;
      const before = history.evaluations.filter(({ isAfterApproval }) => !isAfterApproval);
      // Of requests at the same time, a later attempt may be evaluated first. A pause is that of an attempt.
      const byAttempt = tooEarly(inOrderOfAttempts(history, before));
      const early = tooEarly(before).filter((evaluation) => byAttempt.includes(evaluation));
      return early[0] && `Too early: ${early[0].request.name}.`;
    },
  },
  {
    holds: "A login logs in once, and only with its right code.",
    broken(history) {
      const completed = confirms(history).filter(isLogin);
      const twice = grouped(completed, ({ login }) => login).find(({ length }) => length > 1);
      if (twice) return `${twice.map(({ name }) => name).join(" and ")} logged in.`;
      const right = history.evaluations.filter(({ isRight }) => isRight).map(({ request }) => request);
      const wrong = completed.find(
        ({ login, typed }) => !right.some((request) => request.login === login && request.typed === typed),
      );
      return wrong && `Logged in and never right: ${wrong.name}.`;
    },
  },
  {
    holds: "`onLogin` is called again for a login only after a fault, or by a request whose lease ran out meanwhile.",
    broken({ askedForUser }) {
      const again = grouped(askedForUser, ({ login }) => login).flatMap((asked) =>
        asked.filter((request, index) => !isSlow(request) && !asked.slice(0, index).every(isDisturbed)),
      );
      return again[0] && `Without a fault: ${again[0].name}.`;
    },
  },
  {
    holds:
      "A browser has a session if its login was answered with success, until a logout or the removal of the number.",
    broken(history) {
      const { loggedIn } = history.found;
      const entitled = entitledBrowsers(history);
      const wrongly = [...loggedIn].find((browser) => !entitled.includes(browser.replace("copy of ", "")));
      if (wrongly !== undefined) return `The ${wrongly} has a session.`;
      const lost = entitled.find((browser) => !loggedIn.has(browser));
      return lost && `The ${lost} has no session.`;
    },
  },
  {
    holds: "No session is left of a login that was refused without a fault.",
    broken(history) {
      const { length } = confirms(history).filter((request) => isLogin(request) || isDisturbed(request));
      return history.found.sessions > length ? `There are ${history.found.sessions} sessions.` : undefined;
    },
  },
  {
    holds: "A logout and a removal that failed are finished when they are repeated.",
    broken({ requests }) {
      const asked = requests.filter(({ path }) => path === "/login/logout" || path === "/link/remove");
      return asked.length === 0 || asked.some(isEnd)
        ? undefined
        : `It was answered with ${asked.at(-1)?.answer?.code}.`;
    },
  },
  {
    holds: "After an approval that was written, the same code finishes the login.",
    broken(history) {
      const logins = grouped(confirms(history), ({ login }) => login);
      const approved = logins.filter((ofLogin) => ofLogin.some(({ reached }) => reached.has("wrote approval")));
      const last = approved.flatMap((ofLogin) => {
        const again = ofLogin.findLast(({ name }) => name === "the same code again");
        return again && !mayEnd(history, ofLogin, again) ? [again] : [];
      });
      return last[0] && `It was answered with ${last[0].answer?.code}.`;
    },
  },
  {
    holds: "A person whose login has failed logs in a day later.",
    broken: ({ found }) => (found.isLockedOut ? "The other login was refused." : undefined),
  },
  {
    holds: "No counter says more than what has happened, and what a fault may have hidden.",
    broken(history) {
      const keys = [...history.raised.keys()];
      return keys.map((key) => excessOf(history, key)).find((excess) => excess !== undefined);
    },
  },
  {
    holds: "A number gets one code in thirty seconds.",
    broken(history) {
      const [first, second] = history.sentCodes.slice(-2);
      const isEarly = isWithin(30, first, second) && !history.requests.some(isSlow);
      return isEarly ? `Too early: ${second?.request.name}.` : undefined;
    },
  },
  {
    holds: "Everything expires.",
    broken: ({ found: { left } }) => (left.length > 0 ? `${left.join(", ")} is left.` : undefined),
  },
  {
    holds: "An event is handled again only after a crash or a failure.",
    broken({ handlerRuns }) {
      const earlier = grouped(handlerRuns, ({ event }) => event).flatMap((runs) => runs.slice(0, -1));
      const undisturbed = earlier.find(({ request }) => !isDisturbed(request));
      return undisturbed && `${undisturbed.event} was handled by ${undisturbed.request.process.name}, and again.`;
    },
  },
  {
    holds: "Once a handler has begun for an event, no older event of its entity is handled.",
    broken({ handlerRuns }) {
      const late = handlerRuns.find(({ rank }, index) => handlerRuns.slice(0, index).some((run) => run.rank > rank));
      return late && `${late.event} was handled late.`;
    },
  },
  {
    holds: "No two handlers of one entity run at the same time, unless a fault took the lease of the first.",
    broken({ handlerRuns }) {
      const running = handlerRuns.filter(({ request }) => !isDisturbed(request));
      const second = handlerRuns.find(({ begunAt }) =>
        running.some((first) => first.begunAt < begunAt && begunAt < (first.endedAt ?? begunAt)),
      );
      return second && `${second.event} began while another event was being handled.`;
    },
  },
  {
    holds: "Every event is acknowledged in the end, and the newest one was handled.",
    broken({ requests, handlerRuns }) {
      const deliveries = requests.filter(({ path }) => path === "/webhooks");
      const open = grouped(deliveries, ({ name }) => name).find(
        (attempts) => !attempts.some(({ answer }) => answer?.status === 204),
      );
      if (open) return `The ${open[0]?.name} was never acknowledged.`;
      const newest = statuses.findLast((status) => deliveries.some(({ name }) => name.endsWith(status)));
      const isHandled = handlerRuns.some(({ event, isDone }) => event === newest && isDone);
      return newest === undefined || isHandled ? undefined : `${newest} was not handled.`;
    },
  },
];

function confirms({ requests }: History): readonly ExploredRequest[] {
  return requests.filter(({ path }) => path === "/login/confirm");
}

function isLogin({ answer }: ExploredRequest): boolean {
  return answer?.code === "logged_in";
}

/** Tells whether a request has ended sessions: a logout, or a removal, which is also finished if the number is not known any more. */
function isEnd({ path, answer }: ExploredRequest): boolean {
  if (path === "/login/logout") return answer?.status === 200;
  return path === "/link/remove" && (answer?.status === 200 || answer?.code === "phone_unknown");
}

function isWrongCode({ answer }: ExploredRequest): boolean {
  return answer?.code === "code_rejected" || answer?.code === "newer_code_sent";
}

/** Tells whether a fault has taken time: then a call may come long after the one that has allowed it. */
function isSlow({ faults }: ExploredRequest): boolean {
  return faults.some(({ fault }) => fault === "time passes" || fault === "is cut off");
}

function isWithin(seconds: number, first: Timed | undefined, second: Timed | undefined): boolean {
  return first !== undefined && second !== undefined && second.atMilliseconds - first.atMilliseconds < seconds * 1000;
}

interface Timed {
  readonly atMilliseconds: number;
}

function grouped<Item>(items: readonly Item[], keyOf: (item: Item) => unknown): readonly (readonly Item[])[] {
  return [...Map.groupBy(items, keyOf).values()];
}

/** Lists the browsers that were logged in, and whose session nothing has ended. A copy has the session of its original. */
function entitledBrowsers({ requests }: History): readonly string[] {
  const answered = (path: string) =>
    requests.filter((request) => request.path === path && request.answer?.status === 200);
  const loggedIn = new Set(answered("/login/confirm").map(({ browser }) => browser));
  const ends = requests.filter(isEnd);
  return [...loggedIn].filter((browser) =>
    // A removal ends the sessions of the others.
    ends.every((end) => (end.path === "/login/logout") !== (end.browser === browser)),
  );
}

/**
 * Tells whether a request for a login may be refused: the login was completed and the answer lost, another login or a removal has
 * ended it, or five attempts were used. A request that a fault hits may use one up.
 */
function mayEnd({ requests }: History, ofLogin: readonly ExploredRequest[], last: ExploredRequest): boolean {
  const isCompleted = ofLogin.some(
    (request) => isLogin(request) || (request.reached.has("settled") && isDisturbed(request)),
  );
  const isEnded = requests.some(
    (other) =>
      other.login !== last.login && other.sentAt < last.sentAt && (isLogin(other) || other.reached.has("app answered")),
  );
  const used = ofLogin.filter((request) => isWrongCode(request) || isDisturbed(request));
  return isCompleted || isEnded || (last.answer?.code === "attempts_exhausted" && used.length >= 5);
}

/** Returns the evaluations that follow the third code of their login, or a later one, without a pause. */
function tooEarly(evaluations: readonly Evaluation[]): readonly Evaluation[] {
  return grouped(evaluations, ({ request }) => request.login).flatMap((ofLogin) =>
    ofLogin.filter((evaluation, index) => index >= 3 && isWithin(60, judged(ofLogin[index - 1]), evaluation)),
  );
}

/** Sorts evaluations by the attempts that their requests have reserved. */
function inOrderOfAttempts({ raised }: History, evaluations: readonly Evaluation[]): readonly Evaluation[] {
  const reservations = [...raised].filter(([key]) => key.endsWith(":attempts")).flatMap(([, raises]) => raises);
  const placeOf = ({ request }: Evaluation) => reservations.findIndex((raise) => raise.request === request);
  return evaluations.toSorted((left, right) => placeOf(left) - placeOf(right));
}

/** Returns an evaluation whose answer came: a code that was not judged costs no pause. */
function judged(evaluation: Evaluation | undefined): Evaluation | undefined {
  return evaluation && !isDisturbed(evaluation.request) ? evaluation : undefined;
}

/** Returns how a counter says more than what has happened. A process may bring to it what earlier requests have counted. */
function excessOf(history: History, key: string): string | undefined {
  // The places of known devices are no counts.
  if (/:devices?:/.test(key)) return undefined;
  const raises = history.raised.get(key) ?? [];
  const count = history.found.counts.get(key) ?? 0;
  const isOfConfirm = raises.every(({ request }) => request.path === "/login/confirm");
  const happened = isOfConfirm ? confirms(history).filter(isWrongCode) : history.sentCodes;
  // A login that is over counts attempts that nothing looks at any more.
  const isOver = ({ request, isFirst }: Raise) => isFirst && request.answer?.code === "no_transaction";
  const hiding = raises.filter((raise) => isDisturbed(raise.request) || isOver(raise));
  const others = history.requests.filter(
    (other) => isDisturbed(other) && !raises.some(({ request }) => request === other),
  );
  const hidden = hiding.reduce((sum, { by }) => sum + by, isOfConfirm ? 0 : others.length);
  const isMore = count > happened.length + hidden;
  return isMore
    ? `${key} is ${count} after ${happened.length}, and ${hidden} that a fault may have hidden.`
    : undefined;
}
