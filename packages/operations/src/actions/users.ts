import { nounText } from "../page/format.ts";
import type { Action } from "./action.ts";

/** Ends every session of a user. */
export const endSessions: Action = {
  name: "end_sessions",
  view: "users",
  // Its form has the question, because no page may repeat the id.
  ask: async () => undefined,
  async run({ doorcode }, { user = "" }) {
    if (user === "") return { outcome: "failed", text: "Type the id of the user." };
    const sessions = await doorcode.session.list(user);
    await doorcode.session.endAll(user);
    // A text that is the id of no session's user may be a phone number that the operator typed by mistake.
    if (sessions.length === 0)
      return { outcome: "unchanged", text: "No user with this id has a session: check the id." };
    return {
      outcome: "done",
      target: user,
      text: `${nounText(sessions.length, "session")} ended.`,
    };
  },
};
