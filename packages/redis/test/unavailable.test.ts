import { expect, test } from "vitest";
import { toUnavailable } from "../src/connection/unavailable.ts";

test.each(["'", '"', "`"])("L41: the error of a command shows nothing that Redis quotes of it with %s", (quote) => {
  const quoted = `${quote}app:login:+4915123456789${quote}`;
  const reply = Object.assign(new Error(`ERR unknown command, with args beginning with: ${quoted}`), {
    name: "ReplyError",
  });
  const { message } = toUnavailable(reply, "store");
  expect(message).toBe("Redis refused the command: ERR unknown command, with args beginning with:.");
});
