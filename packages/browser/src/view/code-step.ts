import type { TimedCodeSentState } from "../client/timed-state.ts";
import type { DeliveryStatus } from "../client/wire.ts";
import { h, type ViewChild, type ViewElement } from "./node.ts";
import { changeForm, describedField, form, hidden, problemNote, waitingButton } from "./parts.ts";
import { challengeNode } from "./phone-step.ts";
import { idOf, type View } from "./view.ts";
import { fill, fillNodes, ownText, plural } from "./words.ts";

/** Describes the step that asks for the code. */
export function codeStep(view: View, state: TimedCodeSentState): readonly ViewChild[] {
  const { strings, purpose, live } = view;
  return [
    h("p", { part: "intro", id: idOf(view, "code-sent") }, fillNodes(strings.sentTo, { phone: numberNode(state) })),
    h("p", { part: "delivery", role: "status" }, deliveryNodes(view, state)),
    form(
      view,
      "confirm",
      problemNote(view),
      codeField(view, state),
      rememberField(view),
      waitingButton(
        view,
        { name: "check", until: state.checkAt, sentence: strings.waitIn },
        { part: "button confirm" },
        strings.confirm[purpose],
      ),
    ),
    h("p", { part: "notice", role: "status" }, live?.notice),
    help(view, state),
  ];
}

/** Describes the number as it was understood; masked where only the server knows it in full. */
function numberNode({ number, phone }: TimedCodeSentState): ViewElement {
  return h("strong", { part: "number", dir: "ltr" }, number ?? phone);
}

function codeField(view: View, { codeLength }: TimedCodeSentState): ViewElement {
  const { strings, language, live } = view;
  const id = live?.codeId ?? idOf(view, "code");
  return h(
    "div",
    { part: "field" },
    h("label", { part: "label", for: id }, strings.code),
    h("input", {
      part: "input code",
      id,
      // Browsers keep what was typed under a name, and offer old codes.
      name: live ? undefined : "code",
      type: "text",
      inputmode: "numeric",
      autocomplete: "one-time-code",
      spellcheck: "false",
      autocapitalize: "off",
      enterkeyhint: "go",
      pattern: ".*\\p{Nd}.*",
      dir: "ltr",
      required: true,
      ...describedField(view, "code", codeLength !== null),
    }),
    codeLength !== null &&
      h("p", { part: "hint", id: idOf(view, "code-hint") }, plural(strings.codeHint, codeLength, language)),
  );
}

/** Describes the choice of a step-up that this browser need not prove the number again for a time. */
function rememberField({ offer, strings }: View): ViewChild {
  return (
    offer.remembers &&
    h(
      "label",
      { part: "remember" },
      h("input", { part: "choice", type: "checkbox", name: "remember" }),
      strings.remember,
    )
  );
}

function deliveryNodes(view: View, { delivery }: TimedCodeSentState): readonly ViewChild[] {
  return (delivery?.attempts ?? []).map(({ channel, status }) => {
    const text = deliveryText(view, channel, status);
    return text && h("span", { part: `delivery-line ${status}` }, text);
  });
}

function deliveryText({ strings }: View, channel: string, status: DeliveryStatus): string | undefined {
  const sentence = status === "unknown" ? undefined : strings.delivery[status];
  return sentence && fill(sentence, { channel: ownText(strings.channels, channel) ?? channel });
}

function help(view: View, state: TimedCodeSentState): ViewElement {
  const { strings, purpose } = view;
  const channels = state.channels.length > 1 ? state.channels : [undefined];
  return h(
    "details",
    { part: "help" },
    h("summary", { part: "summary" }, strings.noCode),
    h("p", { part: "hint" }, fillNodes(strings.checkNumber, { phone: numberNode(state) })),
    purpose !== "step_up" && changeForm(view),
    h(
      "ul",
      { part: "channels" },
      channels.map((channel) => h("li", { part: "channel" }, resendForm(view, state, channel))),
    ),
    challengeNode(view),
  );
}

function resendForm(view: View, state: TimedCodeSentState, channel: string | undefined): ViewElement {
  const { strings } = view;
  const last = state.delivery?.attempts.findLast((attempt) => attempt.channel === channel);
  const name = channel === undefined ? "resend" : `resend-${channel}`;
  return form(
    view,
    "resend",
    hidden("channel", channel),
    waitingButton(
      view,
      { name, until: state.resendAt, sentence: strings.waitIn },
      { part: "quiet resend" },
      channel === undefined
        ? strings.resend
        : fill(strings.resendBy, { channel: ownText(strings.channels, channel) ?? channel }),
    ),
    last && h("span", { part: "channel-state" }, deliveryText(view, last.channel, last.status)),
  );
}
