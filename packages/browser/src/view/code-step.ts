import type { TimedCodeSentState } from "../client/timed-state.ts";
import { h, type ViewChild, type ViewElement } from "./node.ts";
import {
  changeForm,
  countdown,
  describedField,
  form,
  formButton,
  hidden,
  numberNode,
  type Pause,
  problemNote,
} from "./parts.ts";
import { challengeNode } from "./phone-step.ts";
import { idOf, pauseOf, type View } from "./view.ts";
import { fill, fillNodes, ownText, plural } from "./words.ts";

/** Describes the step that asks for the code. */
export function codeStep(view: View, state: TimedCodeSentState): readonly ViewChild[] {
  const { strings, purpose, live } = view;
  const pause = ["confirm-pause", pauseOf("check", view)] as const;
  return [
    h("p", { part: "intro", id: idOf(view, "code-sent") }, fillNodes(strings.sentTo, { phone: numberNode(state) })),
    h("p", { part: "delivery", role: "status" }, deliveryNodes(view, state)),
    view.checkLink,
    form(
      view,
      "confirm",
      problemNote(view),
      codeField(view, state),
      rememberField(view),
      formButton(view, "confirm", "button confirm", strings.confirm[purpose], pause),
      countdown(view, pause, strings.checkIn),
    ),
    h("p", { part: "notice", role: "status" }, live?.notice),
    help(view, state),
  ];
}

function codeField(view: View, { codeLength }: TimedCodeSentState): ViewElement {
  const { strings, language, live } = view;
  const id = live?.codeId ?? idOf(view, "code");
  return h(
    "div",
    { part: "field" },
    h("label", { part: "label", for: id }, strings.code),
    h("input", {
      part: codeLength ? `input code slots-${codeLength}` : "input code",
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
  const attempts = delivery?.attempts ?? [];
  const lines = attempts.map(({ channel, status }) => {
    const sentence = status !== "unknown" && view.strings.delivery[status];
    return sentence && h("span", { part: `delivery-line ${status}` }, ofChannel(view, sentence, channel));
  });
  // A person who waits for a text message does not look elsewhere.
  const found =
    attempts.some(({ status }) => status === "failed") && attempts.find(({ status }) => status === "delivered");
  const look = found && ownText(view.strings.lookIn, found.channel);
  return [...lines, look && h("strong", { part: "look" }, look)];
}

function ofChannel({ strings }: View, sentence: string, channel: string): string {
  return fill(sentence, { channel: ownText(strings.channels, channel) ?? channel });
}

function help(view: View, state: TimedCodeSentState): ViewElement {
  const { strings, purpose } = view;
  const channels = state.channels.length > 1 ? state.channels : [undefined];
  const pause = ["resend-pause", pauseOf("send", view)] as const;
  return h(
    "details",
    { part: "help" },
    h("summary", { part: "summary" }, strings.noCode),
    h("p", { part: "hint" }, fillNodes(strings.checkNumber, { phone: numberNode(state) })),
    purpose !== "step_up" && changeForm(view),
    h(
      "ul",
      { part: "channels" },
      channels.map((channel) => h("li", { part: "channel" }, resendForm(view, pause, channel))),
    ),
    countdown(view, pause, strings.resendIn),
    challengeNode(view),
  );
}

function resendForm(view: View, pause: Pause, channel: string | undefined): ViewElement {
  const { strings } = view;
  const label = channel === undefined ? strings.resend : ofChannel(view, strings.resendBy, channel);
  return form(
    view,
    "resend",
    hidden("channel", channel),
    formButton(view, `resend${channel ?? ""}`, "quiet resend", label, pause),
  );
}
