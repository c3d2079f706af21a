import type { Child } from "hono/jsx";
import type { Html } from "../html.ts";
import { Icon, type IconName } from "./icon.tsx";

/** What {@link PostButton} does. */
export interface PostButtonProps {
  readonly action: string;
  /** What the button says. */
  readonly label: string;
  readonly icon?: IconName;
  /** Shows the icon alone. */
  readonly bare?: boolean;
  /** Asked before; an act that cannot be undone has one. */
  readonly confirm?: string;
  readonly look?: "plain" | "quiet" | "danger" | "primary";
  /** What is sent along. */
  readonly fields?: Readonly<Record<string, string>>;
}

/** A form that is one button. */
export function PostButton({
  action,
  label,
  icon,
  bare = false,
  confirm,
  look = "quiet",
  fields = {},
}: PostButtonProps): Html {
  return (
    <form method="post" action={action} class="one-button" data-confirm={confirm}>
      {Object.entries(fields).map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
      <button
        type="submit"
        class={bare ? "bare" : look}
        aria-label={bare ? label : undefined}
        title={bare ? label : undefined}
      >
        {icon && <Icon name={icon} />}
        {!bare && <span>{label}</span>}
      </button>
    </form>
  );
}

/** What {@link Field} shows. */
export interface FieldProps {
  readonly label: string;
  readonly hint?: Child;
  readonly children: Child;
  /** More for the style sheet. */
  readonly kind?: string;
}

/** A control below its label. */
export function Field({ label, hint, children, kind = "" }: FieldProps): Html {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: The control is its child.
    <label class={`field ${kind}`.trim()}>
      <span class="label">{label}</span>
      {children}
      {hint && <span class="hint">{hint}</span>}
    </label>
  );
}

/** One of the values that {@link Select} offers. */
export interface Choice {
  readonly value: string;
  readonly label: string;
}

/** What {@link Select} offers. */
export interface SelectProps {
  readonly name: string;
  readonly choices: readonly Choice[];
  readonly chosen?: string | undefined;
  readonly label?: string;
}

/** A choice of one. */
export function Select({ name, choices, chosen, label }: SelectProps): Html {
  return (
    <select name={name} aria-label={label}>
      {choices.map(({ value, label }) => (
        <option value={value} selected={value === chosen}>
          {label}
        </option>
      ))}
    </select>
  );
}
