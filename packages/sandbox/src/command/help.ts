/** What `--help` prints. */
export const help: string = `Usage: doorcode-sandbox [options]
       doorcode-sandbox exec [options] -- COMMAND ARGS…

Runs the messaging and verification service on this machine, and prints every message that
arrives, with its code.

exec runs COMMAND with the service's environment added (SERVICE_URL, SERVICE_API_KEY,
WEBHOOK_SECRET, SESSION_PASSWORD, DOORCODE_SANDBOX_URL), stops the service when it ends, and
ends with its exit code: doorcode-sandbox exec -- npm test. It prints nothing of its own.

  --port PORT              port to listen on, 0 for any free one (default 4010; for exec 0)
  --host HOST              interface to listen on (default 127.0.0.1: this machine only)
  --allow-host NAME        one more name under which it may be called; can be repeated
  --webhook-url URL        where webhooks go, on this machine: http://localhost:3000/webhooks
  --allow-remote-webhooks  lets webhooks go to other machines too
  --data FILE              keeps everything in this file (default: in memory)
  --clock CLOCK            real, frozen, or scaled:N for N times as fast (default real)
  --quiet                  does not print messages
  --help                   shows this
  --version                shows the version
`;
