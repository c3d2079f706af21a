import { consentNote } from "./consent.ts";
import { chosenCountry, countryNames, sortedCountries } from "./countries.ts";
import { h, type ViewChild, type ViewElement } from "./node.ts";
import { countdown, describedField, form, formButton, problemNote } from "./parts.ts";
import { idOf, pauseOf, type View } from "./view.ts";
import { fill } from "./words.ts";

/** Describes the step that asks for the number, or, where the account has one, only for the code to be sent. */
export function phoneStep(view: View): readonly ViewChild[] {
  const { strings, purpose, live } = view;
  const isBack = live?.isChanging;
  // The pause of an open login is about its number, and this may be another one.
  const pause = ["start-pause", pauseOf("send", { ...view, state: undefined })] as const;
  return [
    h("p", { part: "intro" }, strings.intro[purpose]),
    form(
      view,
      "start",
      problemNote(view),
      purpose !== "step_up" && [countryField(view), phoneField(view), consentNote(view)],
      challengeNode(view),
      formButton(view, "start", "button send", strings.send, pause),
      countdown(view, pause, strings.checkIn),
    ),
    isBack && h("button", { part: "quiet back", type: "button" }, strings.back),
  ];
}

/** Describes the place for the app's challenge. */
export function challengeNode({ challenge }: View): ViewElement {
  return { ...h("div", { part: "challenge" }), foreign: challenge };
}

function countryField(view: View): ViewElement | undefined {
  const { offer, language, strings } = view;
  if (offer.countries.length < 2) return undefined;
  const nameOf = countryNames(language);
  const chosen = chosenCountry(view)?.country;
  const id = idOf(view, "country");
  return h(
    "div",
    { part: "field" },
    h("label", { part: "label", for: id }, strings.country),
    h(
      "select",
      { part: "input country", id, name: "country", autocomplete: "country" },
      sortedCountries(offer.countries, language).map(({ country, callingCode }) =>
        h(
          "option",
          { value: country, selected: country === chosen },
          // The mark keeps the plus before the digits in a right-to-left page.
          `${nameOf(country)} (\u200e+${callingCode})`,
        ),
      ),
    ),
  );
}

function phoneField(view: View): ViewElement {
  const { strings, live, typed, purpose } = view;
  const id = idOf(view, "phone");
  const example = chosenCountry(view)?.example;
  const hint = example ? fill(strings.phoneHint, { example: `\u2066${example}\u2069` }) : strings.phoneHintAbroad;
  return h(
    "div",
    { part: "field" },
    h("label", { part: "label", for: id }, strings.phone),
    h("input", {
      part: "input phone",
      id,
      name: "phone",
      type: "tel",
      // The second word lets an app that has passkeys offer them here. By itself it does nothing.
      autocomplete: purpose === "login" ? "tel webauthn" : "tel",
      enterkeyhint: "send",
      dir: "ltr",
      required: true,
      value: (live ?? typed)?.phone || undefined,
      ...describedField(view, "phone", true),
    }),
    h("p", { part: "hint", id: idOf(view, "phone-hint") }, hint),
  );
}
