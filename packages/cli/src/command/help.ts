/** The output of `--help`. */
export const help: string = `Usage: npx @doorcode/cli check URL [--env-file FILE] [--json]
       npx @doorcode/cli init [FOLDER] [options]

check sends signed test deliveries to the webhook endpoint at URL, three at most, and names
what is wrong, each with the fix. They run no handler of the app: Doorcode acknowledges them
after it has verified their signature. The signing secret comes from the environment variable
WEBHOOK_SECRET.

  --env-file FILE  reads WEBHOOK_SECRET from FILE, such as .env
  --json           prints JSON

init adds Doorcode to the Express or Fastify app in FOLDER (default: this folder). It shows
each change as a diff, and asks once before it writes. Without a terminal it only shows.

  --yes            writes without asking
  --dry-run        only shows
  --no-install     writes, and leaves the installation of the packages to you
  --countries LIST the countries whose numbers may log in, such as DE,AT (default US)

  --help           shows this help
  --version        shows the version

Exit codes: 0 done; 1 the endpoint has a problem, or a change failed; 2 the command is wrong.
`;
