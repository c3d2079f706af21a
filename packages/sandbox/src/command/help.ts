/** The output of `--help`. */
export const help: string = `Usage: doorcode-sandbox [options]
       doorcode-sandbox exec [options] -- PROGRAM ARGS…

Runs the messaging and verification service on this machine, and prints every message with
its code.

exec starts the service, runs PROGRAM with SERVICE_URL, SERVICE_API_KEY, WEBHOOK_SECRET,
SESSION_PASSWORD and DOORCODE_SANDBOX_URL in its environment, stops the service, and exits
with PROGRAM's exit code: doorcode-sandbox exec -- npm test. It prints nothing itself.

A --host that other machines can reach needs a token in DOORCODE_SANDBOX_TOKEN. The page and
the control API then require the token, and the service has a random API key and signing
secret.

  --port PORT              port to listen on, 0 for any free one (default 4010; for exec 0)
  --host HOST              interface to listen on (default 127.0.0.1: only this machine)
  --token TOKEN            in place of DOORCODE_SANDBOX_TOKEN; at least 16 characters, which
                           other users of this machine can see in the list of processes
  --allow-host NAME        one more name that the Host header may have; can be repeated
  --webhook-url URL        webhook endpoint on this machine: http://localhost:3000/webhooks
  --allow-remote-webhooks  allows webhooks to other machines
  --data FILE              keeps all records in this file (default: only in memory)
  --max-messages N         messages that each application keeps (default 10000)
  --clock CLOCK            real, frozen, or scaled:N for N times as fast (default real)
  --quiet                  does not print messages, nor endpoints that keep failing
  --help                   shows this help
  --version                shows the version
`;
