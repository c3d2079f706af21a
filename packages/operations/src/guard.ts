import { type DoorcodeParts, type HttpRequest, type HttpResponse, isLoopbackOrigin } from "@doorcode/core/adapter";
import type { NameOperator } from "./options.ts";
import { forbid } from "./page/answers.tsx";

/** Who acts, or the answer to somebody who may not. */
export type Identified = { readonly operator: string } | { readonly refusal: HttpResponse };

/**
 * Creates the function that identifies who is asking. Without `operator`, only this machine is served.
 *
 * The function rejects with a TypeError if `operator` returns anything but a text or nothing.
 */
export function createIdentify<Context>(
  nameOperator: NameOperator<Context> | undefined,
  origins: DoorcodeParts["mount"]["origins"],
): (request: HttpRequest, context: Context) => Promise<Identified> {
  // A proxy or a tunnel on this machine may add no header and name this machine as the host: then a stranger looks like this machine.
  const isPublic =
    typeof origins !== "string" && [...origins].some((each) => each.startsWith("http") && !isLoopbackOrigin(each));

  return async (request, context) => {
    if (nameOperator) {
      const operator: unknown = await nameOperator(context);
      if (!operator) return { refusal: await forbid("You are not an operator of this app.") };
      // Any other value could be markup on the page, and would name nobody in the event.
      if (typeof operator !== "string") throw new TypeError(wrongOperator);
      return { operator };
    }
    if (!isPublic && isFromThisMachine(request)) return { operator: "this machine" };
    return { refusal: await forbid(guardMissing) };
  };
}

/** The headers by which a proxy says that the client is another machine. */
const forwarding = /forwarded|^via$|^cdn-loop$|(client|connecting|real|remote)-?(ip|addr)/;

/**
 * Tells whether a request comes from this machine itself: from its address, to its name, and through no proxy. A site whose name leads to
 * this machine has another host, and a proxy on this machine adds a header.
 */
export function isFromThisMachine({ remoteAddress, headers }: HttpRequest): boolean {
  const host = headers.host ?? headers[":authority"];
  if (typeof host !== "string" || !isLoopbackOrigin(`http://${host}`)) return false;
  if (!remoteAddress || !/^(127\.|::ffff:127\.|::1$)/.test(remoteAddress)) return false;
  return !Object.keys(headers).some((name) => forwarding.test(name));
}

const wrongOperator =
  "operations: operator: expected a function that returns the operator's name as a text, such as (req) => req.user.email, or nothing.";

const guardMissing =
  "This page has no guard, so it is served to this machine only, and only while origins names no other one. Pass operator to " +
  "operations(), which says who is asking, and mount " +
  'it behind your guard: app.use("/operations", requireStaff, operations(doorcode, { operator: (req) => req.user.email })).';
