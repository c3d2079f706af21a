/** The output of `--help`. */
export const help: string = `Usage: doorcode-limits describe --kit FILE [--json]
       doorcode-limits state --kit FILE [--json]
       doorcode-limits open KIND VALUE --kit FILE [--json]

Shows and changes the limits of logins of a running app. FILE is the module of the app that
exports its kit, the return value of createDoorcode. It must not start a server. It needs the
same environment as the app: its password and its store.

  describe  prints the running limits, the odds of guessing and the chances of false alarms
  state     lists the blocks, addresses and networks that get no codes now
  open      opens one: KIND is block, wide_block, address or network, and VALUE as state lists
            it; or KIND is phone and VALUE a number such as +4915123456789, after too many
            codes or wrong codes

  --kit FILE  such as ./doorcode.js; Node runs TypeScript files too
  --json      prints JSON
  --help      shows this help

Exit codes: 0 done; 1 the app's store failed, or nothing was closed or counted at VALUE;
2 the command or FILE is wrong.
`;
