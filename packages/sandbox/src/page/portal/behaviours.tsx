import { configureApplication } from "../../sandbox/applications.ts";
import type { BehaviourRange } from "../../service/simulated-phone.ts";
import { type Behaviour, behaviours as behaviourNames } from "../../state/application.ts";
import { CopyButton, Field, PostButton, Select, SubmitButton } from "../components/controls.tsx";
import { type ApplicationProps, Card, EmptyNote, type Html, nothing } from "../components/elements.tsx";
import { applicationPath } from "../components/paths.ts";
import { type FormHandlers, ofApplication } from "../request/form-handler.ts";
import { withEntry, withoutEntry } from "./fixed-codes.tsx";

/** The handlers of the forms that change the misbehaving numbers of an application. */
export const behaviourForms: FormHandlers = {
  returning: {
    [`${ofApplication}/behaviours`]: ({ deps, application: { id, behaviours }, form }) =>
      configureApplication(deps, id, { behaviours: withEntry(behaviours, form.text("who"), form.text("behaviour")) }),
    [`${ofApplication}/behaviours/remove`]: ({ deps, application: { id, behaviours }, form }) =>
      configureApplication(deps, id, { behaviours: withoutEntry(behaviours, form.text("who")) }),
  },
};

const labels: Readonly<Record<Behaviour, string>> = {
  sms_fails: "SMS fails",
  never_delivered: "never delivered, stays SENT",
  only_voice: "only voice works",
  slow: "slow: the outcome comes after the fallback",
  duplicate_events: "each event twice",
  reordered_events: "SENT arrives after the outcome",
};

const choices = Object.entries(labels).map(([value, label]) => ({ value, label }));

/** Shows the misbehaving numbers and countries of an application, and a form that adds one. */
export function BehavioursCard({ application: { id, behaviours } }: ApplicationProps): Html {
  const path = applicationPath(id, "behaviours");
  return (
    <Card id="behaviours" title="Numbers that misbehave" lead="A number, or a whole country such as DE.">
      {Object.keys(behaviours).length === 0 && (
        <EmptyNote>None of your own. The ranges below always misbehave.</EmptyNote>
      )}
      <ul class="items">
        {Object.entries(behaviours).map(([who, behaviour]) => (
          <li id={`behaviour-${who}`}>
            <strong class="number">{who}</strong>
            <span class="text">{labels[behaviour]}</span>
            <PostButton action={`${path}/remove`} label={`Let ${who} behave`} icon="trash" bare fields={{ who }} />
          </li>
        ))}
      </ul>
      <form method="post" action={path} class="fields">
        <Field label="Number or country">
          <input type="text" name="who" required placeholder="+4915112345678 or DE" autocomplete="off" />
        </Field>
        <Field label="Behaviour">
          <Select name="behaviour" choices={choices} />
        </Field>
        <SubmitButton label="Save behaviour" />
      </form>
    </Card>
  );
}

/** Shows the fixed ranges of misbehaving numbers, with one column for each country. */
export function BehaviourRangesCard({ ranges }: { readonly ranges: readonly BehaviourRange[] }): Html {
  const countries = [...new Set(ranges.map(({ country }) => country))];
  return (
    <Card
      id="ranges"
      title="Ranges that always misbehave"
      lead="Numbers that regulators reserve for film and print. The last digit can be any. The button copies the first number of the range."
    >
      <section class="table" aria-label="Ranges by country" tabindex={0}>
        <table>
          <thead>
            <tr>
              <th scope="col">Behaviour</th>
              {countries.map((country) => (
                <th scope="col">{country}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            {behaviourNames.map((behaviour) => (
              <tr>
                <th scope="row">{labels[behaviour]}</th>
                {countries.map((country) => (
                  <td>
                    <Range range={ranges.find((each) => each.country === country && each.behaviour === behaviour)} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </Card>
  );
}

function Range({ range }: { readonly range: BehaviourRange | undefined }): Html {
  if (!range) return nothing;
  return (
    <span class="range">
      <code>{range.prefix}…</code>
      <CopyButton text={`${range.prefix}0`} label={`${range.prefix}0`} bare />
    </span>
  );
}
