import type { Behaviour, BehaviourRange } from "../../service/handset.ts";
import type { Application } from "../../state/application.ts";
import { address } from "../address.ts";
import { Card, Empty } from "../controls/card.tsx";
import { Field, PostButton, Select } from "../controls/form.tsx";
import type { Html } from "../html.ts";
import { BehaviourRanges } from "./behaviour-ranges.tsx";
import { behaviourWords } from "./behaviour-words.ts";

/** What {@link NumbersTab} shows. */
export interface NumbersTabProps {
  readonly application: Pick<Application, "id" | "behaviours" | "codes">;
  readonly ranges: readonly BehaviourRange[];
}

const choices = Object.entries(behaviourWords).map(([value, label]) => ({ value, label }));

/** Numbers that get a fixed code, and numbers that misbehave. */
export function NumbersTab({ application, ranges }: NumbersTabProps): Html {
  return (
    <>
      <FixedCodes application={application} />
      <Behaviours application={application} />
      <BehaviourRanges ranges={ranges} />
    </>
  );
}

function FixedCodes({ application: { id, codes } }: Pick<NumbersTabProps, "application">): Html {
  const path = address(id, "codes");
  return (
    <Card
      id="codes"
      title="Fixed codes"
      lead="The code that a number gets each time, for tests that cannot look into the inbox."
    >
      {Object.keys(codes).length === 0 && <Empty>No number has a fixed code.</Empty>}
      <ul class="items">
        {Object.entries(codes).map(([phone, code]) => (
          <li id={`code-${phone}`}>
            <strong class="number">{phone}</strong>
            <code class="text">{code}</code>
            <PostButton
              action={`${path}/remove`}
              label={`Remove the code of ${phone}`}
              icon="trash"
              bare
              fields={{ phone }}
            />
          </li>
        ))}
      </ul>
      <CodeForm path={path} />
    </Card>
  );
}

function CodeForm({ path }: { readonly path: string }): Html {
  return (
    <form method="post" action={path} class="fields">
      <Field label="Number">
        <input type="tel" name="phone" required placeholder="+4915112345678" autocomplete="off" />
      </Field>
      <Field label="Code">
        <input
          type="text"
          name="code"
          required
          inputmode="numeric"
          pattern="\d{4,10}"
          placeholder="123456"
          autocomplete="off"
        />
      </Field>
      <p class="act">
        <button type="submit">Save code</button>
      </p>
    </form>
  );
}

function Behaviours({ application: { id, behaviours } }: Pick<NumbersTabProps, "application">): Html {
  const path = address(id, "behaviours");
  return (
    <Card id="behaviours" title="Numbers that misbehave" lead="A number, or a whole country such as DE.">
      {Object.keys(behaviours).length === 0 && <Empty>None of your own; the ranges below always do.</Empty>}
      <ul class="items">
        {Object.entries(behaviours).map(([who, behaviour]) => (
          <li id={`behaviour-${who}`}>
            <strong class="number">{who}</strong>
            <span class="text">{wordsOf(behaviour)}</span>
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
        <p class="act">
          <button type="submit">Save behaviour</button>
        </p>
      </form>
    </Card>
  );
}

function wordsOf(behaviour: Behaviour): string {
  return behaviourWords[behaviour];
}
