import { DoorcodeError } from "../util/errors.ts";
import { parseOptions } from "../util/parse-options.ts";
import { type AppCodesOptions, appCodesShape, type CheckedAppCodes } from "./app-code-options.ts";
import {
  type CodeStrategy,
  type CodeStrategyFactory,
  type CodeSubject,
  type CodeTools,
  subjectParts,
} from "./code-strategy.ts";
import { createCodeTexts } from "./code-texts.ts";
import { defaultTexts } from "./default-texts.ts";
import type { LoginCode } from "./login-code.ts";
import { decideTextHost } from "./origin-bound.ts";
import type { SendOutgoingCode } from "./outgoing-code.ts";
import { sendAsMessage } from "./send-as-message.ts";
import { sendAsVerification } from "./send-as-verification.ts";
import { sendByApp } from "./send-by-app.ts";

/**
 * Lets the app own the code: the kit creates and checks it. The service delivers it as `custom_otp`; with `sender` it delivers a text
 * of the app; with `send` the app delivers it.
 *
 * A code is derived by HMAC from a key of the app and a random seed in the store, over transaction, number and purpose, and is
 * itself stored nowhere. So another send within half of its longest life carries the same code, and a text that comes late
 * is right as well. Wrong codes make the next codes of a number longer, up to ten digits, instead of closing the number.
 *
 * @throws TypeError for a wrong option; of texts also when `createDoorcode` is called, which knows their host.
 * @see "Verification request" of the specification, `custom_otp`, and "Message request"
 * @example
 * import { appCodes } from "@doorcode/core";
 * const codes = appCodes({ sender: "Example", text: { en: "Your code for Example is {code}." } });
 */
export function appCodes(options: AppCodesOptions = {}): CodeStrategyFactory {
  const checked = parseOptions("appCodes", appCodesShape, options);
  const { channels, codeLength, lifetimeSeconds } = checked;

  return (tools: CodeTools): CodeStrategy => {
    const { keys } = tools;
    const sendOutgoing = chooseSender(checked, tools);
    const codeOf = (subject: CodeSubject, { codeKey, codeSeed, codeNumber, ...chosen }: LoginCode) =>
      keys.deriveCode(
        codeKey,
        [...subjectParts(subject), codeSeed, String(codeNumber)],
        chosen.codeLength ?? codeLength,
      );

    return {
      digits: { min: codeLength, max: codeLength },
      lifetimeSeconds,
      channels,
      answersOnce: false,
      repeatsCodes: true,
      sendsMessages: checked.sender !== undefined,
      lengthensCodes: () => true,
      async send(subject, loginCode, order) {
        const code = codeOf(subject, loginCode);
        // The password under which this login began is no longer in the list.
        if (code === undefined) throw new DoorcodeError("send_failed", { outcome: "refused" });
        const { phone, purpose } = subject;
        const { language, loginId, sends: sendNumber } = loginCode;
        return sendOutgoing({ phone, code, channels: order, language, purpose, loginId, sendNumber });
      },
      async check(code, subject, loginCode) {
        const right = codeOf(subject, loginCode);
        if (right === undefined) return "ended";
        return keys.isSameCode(code, right) ? "right" : "wrong";
      },
    };
  };
}

function chooseSender({ template, sender, send, text, host }: CheckedAppCodes, tools: CodeTools): SendOutgoingCode {
  const createTexts = () => createCodeTexts(text ?? defaultTexts, decideTextHost(tools.origins, host));
  if (send) return sendByApp(send, createTexts(), tools.clock);
  if (sender !== undefined) return sendAsMessage(sender, createTexts(), tools.messages);
  return sendAsVerification(template, tools.verifications);
}
