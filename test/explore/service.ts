import type { ServiceOptions } from "@doorcode/core/service";
import type { Evaluation, ExploredRequest, History } from "./history.ts";
import { type Scheduler, writeFaults } from "./scheduler.ts";
import type { VirtualClock } from "./virtual-clock.ts";

type Dispatcher = NonNullable<ServiceOptions["dispatcher"]>;
type Dispatch = Dispatcher["dispatch"];
type DispatchHandler = Parameters<Dispatch>[1];

/** A code that the service has sent. */
interface Verification {
  readonly id: string;
  readonly phone: string;
  readonly code: string;
  isApproved: boolean;
}

/** The service, in the memory of a world. It answers by the specification, when the scheduler lets it. */
export interface ExploredService {
  readonly dispatcher: Dispatcher;
  readonly verifications: Verification[];
}

interface ServiceAnswer {
  readonly status: number;
  readonly body: object;
}

const paused = { aborted: false, paused: false, reason: null };

/** Creates the service. */
export function createService(
  scheduler: Scheduler,
  clock: VirtualClock,
  history: History,
  verifications: Verification[],
): ExploredService {
  function create(phone: string): ServiceAnswer {
    const number = verifications.length + 1;
    verifications.push({ id: `ver_${number}`, phone, code: String(100_000 + number), isApproved: false });
    const request = scheduler.carriedFor;
    if (request) history.sentCodes.push({ request, phone, atMilliseconds: clock.now() });
    return { status: 200, body: { request_id: `req_${number}`, verification_id: `ver_${number}` } };
  }

  function evaluationOf(request: ExploredRequest, isRight: boolean): Evaluation {
    const ofLogin = history.requests.filter(({ login }) => login === request.login);
    const isAfterApproval = ofLogin.some(({ reached }) => reached.has("wrote approval"));
    return { request, isRight, atMilliseconds: clock.now(), isAfterApproval };
  }

  function confirm(id: string, typed: string): ServiceAnswer {
    const verification = verifications.find((known) => known.id === id);
    const isRight = verification?.code === typed && !verification.isApproved;
    const request = scheduler.carriedFor;
    if (request) history.evaluations.push(evaluationOf(request, isRight));
    request?.reached.add("evaluated");
    if (!isRight) return { status: 400, body: { success: false, error_code: "verify.invalid_code" } };
    verification.isApproved = true;
    request?.reached.add("approved");
    return { status: 200, body: { success: true, message: "approved" } };
  }

  function answer(path: string, body: Readonly<Record<string, string>>): ServiceAnswer {
    const id = /\/confirmation\/(.+)$/.exec(path)?.[1];
    return id === undefined ? create(body.recipient ?? "") : confirm(id, body.otp_code ?? "");
  }

  const dispatch: Dispatch = ({ path, body }, handler) => {
    const isConfirm = path.includes("/confirmation/");
    const asked = JSON.parse(String(body));
    handler.onRequestStart?.(controllerOf(), {});
    scheduler
      .call({
        what: isConfirm ? "the service: confirm" : "the service: send",
        faults: writeFaults,
        carryOut: async () => answer(path, asked),
      })
      .then(
        (given) => respond(handler, given),
        // An answer that tells nothing.
        () => respond(handler, { status: 500, body: {} }),
      );
    return true;
  };
  return { dispatcher: { dispatch } as Dispatcher, verifications };
}

function controllerOf() {
  return { ...paused, rawHeaders: [], abort() {}, pause() {}, resume() {} };
}

function respond(handler: DispatchHandler, { status, body }: ServiceAnswer): void {
  const controller = controllerOf();
  handler.onResponseStart?.(controller, status, {}, "");
  handler.onResponseData?.(controller, Buffer.from(JSON.stringify(body)));
  handler.onResponseEnd?.(controller, {});
}
