/** The output of `--help`. */
export const help: string = `Usage: npx @doorcode/cli check URL [--env-file FILE] [--json]
       npx @doorcode/cli init [FOLDER] [options]
       npx @doorcode/cli limits describe|state --kit FILE [--json]
       npx @doorcode/cli limits open KIND VALUE --kit FILE [--json]

check sends signed test deliveries to the webhook endpoint at URL, three at most, and names
what is wrong, each with the fix. They run no handler of the app: Doorcode acknowledges them
after it has verified their signature. The signing secret comes from the environment variable
WEBHOOK_SECRET.

  --env-file FILE  reads WEBHOOK_SECRET from FILE, such as .env
  --json           prints JSON

init adds Doorcode to the app in FOLDER (default: this folder), on Express, Fastify, NestJS, Hono,
Next.js or SvelteKit. It shows each change as a diff, and asks once before it writes. Without a
terminal it only shows.

  --yes            writes without asking
  --dry-run        only shows
  --no-install     writes, and leaves the installation of the packages to you
  --countries LIST the countries whose numbers may log in, such as DE,AT (default US)
  --page           adds the login page of @doorcode/browser; a terminal asks without it

limits shows and changes the limits of logins of a running app. FILE is the module of the app
that exports its kit, the return value of createDoorcode. It must not start a server. It needs
the same environment as the app: its password and its store.

  describe         prints the running limits, the odds of guessing and the chances of false alarms
  state            lists the blocks, addresses and networks that get no codes now
  open             opens one: KIND is block, wide_block, address or network, and VALUE as state
                   lists it; or KIND is phone and VALUE a number such as +4915123456789, after
                   too many codes or wrong codes
  --kit FILE       such as ./doorcode.js; Node runs TypeScript files too
  --json           prints JSON

  --help           shows this help
  --version        shows the version

Exit codes: 0 done; 1 the endpoint has a problem, a change or the app's store failed, or nothing
was closed or counted at VALUE; 2 the command or FILE is wrong.
`;
