import type { LoginEvent, ProxyMistake } from "../login/login-event.ts";
import { type ClientAddress, isPublicAddress, parseClientAddress } from "../util/client-address.ts";
import type { Publish } from "../util/publish.ts";
import { warn } from "../util/warn.ts";
import type { HttpRequest, ProxySetting } from "./exchange.ts";

/** Reads the client of a request. */
export type ClientReader<RequestContext> = (request: HttpRequest, context: RequestContext) => ClientAddress;

const consequences: Readonly<Record<ProxyMistake, string>> = {
  header_ignored:
    "A request came through a proxy that the app does not know: its address is private or unknown, and the header of the " +
    "proxy was not used. All clients then share the limits of one address.",
  trusts_everybody:
    "The app believes the forwarded headers of everybody, so every client can choose its own address, " +
    "and limits by address stop nobody.",
};

/**
 * Creates the reader of a mount's clients. Once, it warns of a proxy setting that hides the clients' addresses or lets them
 * be forged: such an app works, and only its limits do not.
 */
export function createClientReader<RequestContext>(
  publish: Publish<LoginEvent>,
  { fix, trustsEverybody }: ProxySetting<RequestContext>,
): ClientReader<RequestContext> {
  let isAsked = false;
  let isWarned = false;

  function mistakeOf(request: HttpRequest, context: RequestContext): ProxyMistake | undefined {
    const trusts = !isAsked && trustsEverybody(context);
    isAsked = true;
    if (trusts) return "trusts_everybody";
    return isHeaderIgnored(request) ? "header_ignored" : undefined;
  }

  return (request, context) => {
    const mistake = isWarned ? undefined : mistakeOf(request, context);
    if (mistake) {
      isWarned = true;
      warn("proxy_misconfigured", `${consequences[mistake]} ${fix}`);
      publish({ type: "login.proxy_misconfigured", mistake });
    }
    return parseClientAddress(request.remoteAddress);
  };
}

/** Headers in which proxies and content delivery networks pass the client's address on. */
const forwardedHeaders = [
  "forwarded",
  "x-forwarded-for",
  "x-real-ip",
  "x-client-ip",
  "true-client-ip",
  "cf-connecting-ip",
  "fly-client-ip",
];

/** Tells whether a proxy has named its client, and the framework answers with a machine of a private network all the same. */
function isHeaderIgnored({ headers, remoteAddress }: HttpRequest): boolean {
  const values = forwardedHeaders.flatMap((name) => headers[name] ?? []);
  if (values.length === 0 || isPublicAddress(remoteAddress)) return false;
  const named = values.flatMap((value) => value.match(/[\w.:%]+/g) ?? []);
  // Clients may be in a private network too. Then the framework has read their address from the header, which has no public one.
  const isRead = remoteAddress !== undefined && named.includes(remoteAddress) && !named.some(isPublicAddress);
  return named.length > 0 && !isRead;
}
