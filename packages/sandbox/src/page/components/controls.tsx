import {
  Field,
  type FieldProps,
  type Html,
  Icon,
  PostButton,
  Select,
  type SelectProps,
} from "@doorcode/operations/page-parts";
import type { Child, JSX } from "hono/jsx";
import { Digits, Phone } from "./digits.tsx";

type InputProps = Omit<FieldProps, "children"> & JSX.IntrinsicElements["input"] & { readonly name: string };

/** A text field, or another kind of input, with its label. */
export function Input({ label, hint, kind, ...input }: InputProps): Html {
  return (
    <Field label={label} hint={hint} kind={kind}>
      <input type="text" autocomplete="off" {...input} />
    </Field>
  );
}

/** A drop-down list with its label. */
export function SelectField({ label, hint, ...select }: SelectProps & Omit<FieldProps, "children">): Html {
  return (
    <Field label={label} hint={hint}>
      <Select {...select} />
    </Field>
  );
}

interface CheckBoxesProps {
  readonly legend: string;
  readonly name: string;
  readonly values: readonly string[];
  readonly checked: readonly string[];
  /** Whether the legend is only for screen readers. */
  readonly unseen?: boolean;
}

/** Check boxes of one field, which can have several values. */
export function CheckBoxes({ legend, name, values, checked, unseen = false }: CheckBoxesProps): Html {
  return (
    <fieldset>
      <legend class={unseen ? "unseen" : undefined}>{legend}</legend>
      <div class="checks">
        {values.map((value) => (
          <label class="check">
            <input type="checkbox" name={name} value={value} checked={checked.includes(value)} />
            <code>{value}</code>
          </label>
        ))}
      </div>
    </fieldset>
  );
}

interface SubmitProps {
  readonly label: string;
  readonly look?: "primary";
  readonly wide?: boolean;
}

/** The submit button of a form with fields. */
export function SubmitButton({ label, look, wide = false }: SubmitProps): Html {
  return (
    <p class={wide ? "actions wide" : "actions"}>
      <button type="submit" class={look}>
        {label}
      </button>
    </p>
  );
}

interface FieldsFormProps extends SubmitProps {
  readonly action: string;
  readonly children: Child;
}

/** A form with fields and its submit button. */
export function FieldsForm({ action, children, ...submit }: FieldsFormProps): Html {
  return (
    <form method="post" action={action} class="fields">
      {children}
      <SubmitButton {...submit} />
    </form>
  );
}

interface ItemProps {
  /** The path of the list. The form that removes an item of it is at `remove` below. */
  readonly list: string;
  /** The field that names the item in that form. */
  readonly field: string;
  readonly name: string;
  readonly kind?: "number";
  readonly children?: Child;
  readonly label?: string;
}

/** An item of a list, with a button that removes it. */
export function Item({ list, field, name, kind, children, label = `Remove ${name}` }: ItemProps): Html {
  return (
    <li id={`${list}/${name}`}>
      <strong>{kind === "number" ? <Phone number={name} /> : name}</strong>
      {children}
      <PostButton action={`${list}/remove`} label={label} icon="trash" bare fields={{ [field]: name }} />
    </li>
  );
}

interface FilterFormProps {
  readonly action: string;
  readonly search: string;
  readonly label: string;
  readonly children?: Child;
}

/** Searches a list. The page's script submits the form while the user types, and the key `/` focuses it. */
export function FilterForm({ action, search, label, children }: FilterFormProps): Html {
  return (
    <search class="search">
      <form method="get" action={action} id="search" data-live>
        <span class="search-box">
          <Icon name="search" />
          <input
            type="search"
            name="q"
            id="search-text"
            value={search}
            placeholder="Search"
            title={label}
            aria-label={`Search: ${label}`}
            aria-keyshortcuts="/"
            autocomplete="off"
          />
          <span class="key" aria-hidden="true">
            /
          </span>
        </span>
        {children}
        <button type="submit" class="scriptless">
          Search
        </button>
      </form>
    </search>
  );
}

/** Shows a code as a button that copies it. The page's script copies the code and confirms it. */
export function CodeChip({ code, small = false }: { readonly code: string; readonly small?: boolean }): Html {
  return (
    <button
      type="button"
      class={small ? "code small" : "code"}
      data-copy={code}
      data-code
      // With spaces, because a screen reader would read "123456" as one large number.
      aria-label={`Copy code ${code}: ${[...code].join(" ")}`}
    >
      <Digits code={code} />
      <Icon name="copy" />
    </button>
  );
}

interface CopyProps {
  readonly text: string;
  /** The name of the text, such as `the id`. */
  readonly label: string;
}

/** A button that copies a text. */
export function CopyButton({ text, label }: CopyProps): Html {
  return (
    <button type="button" class="bare" data-copy={text} aria-label={`Copy ${label}`} title={`Copy ${label}`}>
      <Icon name="copy" />
    </button>
  );
}

/** Formats a JSON text over several lines. Any other text stays as it is. */
export function prettyJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

/** Shows a block of text with a button that copies it. */
export function CopyBlock({ text, label }: CopyProps): Html {
  return (
    <div class="copy-block">
      <pre tabindex={0}>{text}</pre>
      <CopyButton text={text} label={label} />
    </div>
  );
}

/** Links to the list that a page belongs to. The Escape key does the same. */
export function BackLink({ href, label }: { readonly href: string; readonly label: string }): Html {
  return (
    <a class="button bare" href={href} id="back" aria-label={label} title={label}>
      <Icon name="back" />
    </a>
  );
}
