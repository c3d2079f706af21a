import { isLoopbackOrigin } from "../util/origin.ts";

/**
 * Returns the last line of a text, which binds its code to a host: a browser fills the code in on that site and on no
 * other one. Nothing may follow it.
 *
 * @see https://wicg.github.io/sms-one-time-codes/
 */
export function originBoundLine(host: string, code: string): string {
  return `@${host} #${code}`;
}

/** Labels of letters, digits and hyphens: the hosts that browsers read in such a line. */
const readHost = /^[a-z0-9-]+(?:\.[a-z0-9-]+)*$/;

/**
 * Decides at start which host the codes of texts are bound to. It is always one of the configuration: with a host of a
 * request, a stranger could have codes filled in on his own site.
 *
 * @param origins - those of the website. Without any, or if all are of this machine, the host is `localhost`. Those of
 * pages inside apps have no host.
 * @param chosen - the option `host`, which says which one of several hosts it is.
 * @throws TypeError for several hosts of which none is chosen, for another host, and for one that browsers do not read
 */
export function decideTextHost(origins: readonly string[] | undefined, chosen: string | undefined): string {
  if (!origins || origins.every(isLoopbackOrigin)) return "localhost";
  const ofWebsite = origins.filter((origin) => !isLoopbackOrigin(origin) && origin.startsWith("https:"));
  const hosts = [...new Set(ofWebsite.map((origin) => new URL(origin).hostname))];
  const host = chosen ?? (hosts.length === 1 ? hosts[0] : undefined);
  if (host === undefined || !hosts.includes(host)) {
    throw new TypeError(
      `appCodes: host: expected the host of the login page, one of those of origins: ${hosts.join(", ")}.`,
    );
  }
  if (!readHost.test(host)) {
    throw new TypeError(
      `appCodes: host: ${host} has a character that browsers do not read in a text: serve the login page from another host.`,
    );
  }
  return host;
}
