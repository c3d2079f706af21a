import { type Finding, problem } from "./finding.ts";

type Sentence = readonly [text: string, fix: string];

const untrusted: Sentence = [
  "The certificate cannot be verified: its issuer is unknown, or the server does not send the certificates in between.",
  "Let the server send the whole chain, such as the file fullchain.pem, from a public authority.",
];
const selfSigned: Sentence = [
  "The certificate is self-signed.",
  "Get a certificate from a public authority, such as Let's Encrypt: the service accepts no other.",
];

/** Names the reason why a delivery got no answer. @param failure - the code of Node's error, or `TIMED_OUT`. */
export function judgeFailure(failure: string, url: string, timeoutMilliseconds: number): Finding {
  const { hostname, protocol, port } = new URL(url);
  const at = port || (protocol === "https:" ? "443" : "80");
  switch (failure) {
    case "TIMED_OUT":
      return problem(
        "too_slow",
        `No complete answer came within ${timeoutMilliseconds / 1000} seconds, the service's limit.`,
        "Look for slow middleware, a firewall that drops packets, or a machine that has to start first.",
      );
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return problem("unknown_host", `The host ${hostname} has no address.`, "Check its spelling and its DNS records.");
    case "ECONNREFUSED":
      return problem(
        "connection_refused",
        `Nothing listens on port ${at} of ${hostname}.`,
        "Start the app, or correct the port. In a container, the app must listen on 0.0.0.0.",
      );
    case "CERT_HAS_EXPIRED":
      return problem("certificate_expired", "The certificate has expired.", "Renew it, and reload the server.");
    case "DEPTH_ZERO_SELF_SIGNED_CERT":
    case "SELF_SIGNED_CERT_IN_CHAIN":
      return problem("certificate_self_signed", ...selfSigned);
    case "ERR_TLS_CERT_ALTNAME_INVALID":
      return problem(
        "certificate_of_other_host",
        `The certificate is for another host than ${hostname}.`,
        `Get one that names ${hostname}, or register the host that the certificate names.`,
      );
    case "EPROTO":
    case "ERR_SSL_WRONG_VERSION_NUMBER":
    case "ERR_SSL_PACKET_LENGTH_TOO_LONG":
      return problem(
        "no_tls",
        `Port ${at} of ${hostname} does not speak https.`,
        "Correct the port, or put a proxy with a certificate in front of the app.",
      );
    default:
      return judgeOther(failure, hostname);
  }
}

/** OpenSSL has about twenty more codes for certificates. */
function judgeOther(failure: string, hostname: string): Finding {
  if (/CERT|ISSUER|SIGNATURE|CRL/.test(failure)) return problem("certificate_untrusted", ...untrusted);
  return problem(
    "connection_failed",
    `The connection to ${hostname} failed (${failure}).`,
    "Check that the app runs, that its port speaks the protocol of the URL, and that no firewall closes connections.",
  );
}
