import type { MiddlewareHandler } from "hono";
import type { Service } from "../service/service.ts";
import { type Application, defaultApplicationId } from "../state/application.ts";
import { isoInstant, newId } from "../state/record.ts";

/** The variables in the context of a request to the API. */
export interface ApiEnv {
  readonly Variables: {
    /** The application of the API key. */
    readonly application: Application;
    /** The body, after it was read. */
    readonly body?: Uint8Array;
    /** The reason of a refusal, in words. */
    readonly cause?: string;
  };
}

const maxCharacters = 10_000;

/**
 * Records each request to the API with its answer, also a request that is refused before its application is known.
 *
 * No header is recorded. Where the API key or the Authorization header occurs in the path, in a body or in the answer, it is masked.
 */
export function recordRequests({ state, scheduler }: Service): MiddlewareHandler<ApiEnv> {
  return async (c, next) => {
    const startMilliseconds = performance.now();
    let isCut = true;
    try {
      await next();
      isCut = false;
    } finally {
      const { application, body, cause } = c.var;
      const apiKey = c.req.header("x-api-key");
      const masked = createMask([apiKey, c.req.header("authorization")?.split(" ").at(-1)]);
      const answer = isCut ? "" : await c.res.clone().text();
      // The application may have been removed before the answer. Its clock must not start again.
      const isPresent = application !== undefined && state.applications.get(application.id) !== undefined;
      const applicationId = isPresent ? application.id : defaultApplicationId;
      state.apiRequests.put({
        id: newId("api"),
        applicationId,
        at: isoInstant(scheduler.now(applicationId)),
        method: c.req.method,
        path: masked(c.req.path),
        maskedKey: apiKey && maskSecret(apiKey),
        isKeyValid: application !== undefined,
        status: isCut ? undefined : c.res.status,
        cause,
        // A character has at most four bytes.
        body: masked(new TextDecoder().decode(body?.subarray(0, 4 * maxCharacters))),
        answer: masked(answer),
        tookMilliseconds: performance.now() - startMilliseconds,
      });
    }
  };
}

/** Masks a secret: four dots, and the last four characters of a long one. */
function maskSecret(secret: string): string {
  return `••••${secret.length < 12 ? "" : secret.slice(-4)}`;
}

/** Shorter values are no secrets, and would be masked inside of words. */
const minSecretLength = 8;

function createMask(secrets: readonly (string | undefined)[]): (text: string) => string {
  const real = secrets.flatMap((secret = "") => (secret.length >= minSecretLength ? [secret] : []));
  return (text) =>
    real.reduce((masked, secret) => masked.replaceAll(secret, maskSecret(secret)), text).slice(0, maxCharacters);
}
