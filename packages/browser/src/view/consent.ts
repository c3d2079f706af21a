import { chosenCountry } from "./countries.ts";
import { h, type ViewChild, type ViewElement } from "./node.ts";
import { hidden } from "./parts.ts";
import type { View } from "./view.ts";

/**
 * Describes the line of consent. It is hidden, and sends no version, while a country without it is chosen. Only a script notices a
 * choice: without one, the style sheet shows the line always.
 */
export function consentNote(view: View): ViewElement | undefined {
  const { consent, strings, live } = view;
  if (!consent) return undefined;
  const isHidden = !consent.countries.includes(chosenCountry(view)?.country ?? "");
  const { terms, privacy, version } = consent;
  return h(
    "p",
    { part: "hint consent", hidden: isHidden },
    strings.consent,
    link(terms, strings.terms),
    link(privacy, strings.privacy),
    hidden("consent", live && isHidden ? undefined : version),
  );
}

function link(href: string | undefined, text: string): ViewChild {
  return href !== undefined && [" ", h("a", { href, target: "_blank", rel: "noopener" }, text)];
}
