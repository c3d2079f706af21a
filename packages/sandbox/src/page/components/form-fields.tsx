import type { Child } from "hono/jsx";
import type { Html } from "./html.ts";
import { Icon, type IconName } from "./icon.tsx";

/** The properties of {@link PostButton}. */
export interface PostButtonProps {
  /** The path that the form posts to. */
  readonly action: string;
  /** The label of the button. */
  readonly label: string;
  /** An icon before the label. */
  readonly icon?: IconName;
  /** Shows only the icon. */
  readonly bare?: boolean;
  /** A question before the form is sent. An action that cannot be undone needs one. */
  readonly confirm?: string;
  /** The style of the button. */
  readonly look?: "plain" | "quiet" | "danger" | "primary";
  /** Hidden fields of the form, by name. */
  readonly fields?: Readonly<Record<string, string>>;
}

/** A form that consists of one button. */
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

/** The properties of {@link Field}. */
export interface FieldProps {
  /** The label above the input. */
  readonly label: string;
  /** A hint below the input. */
  readonly hint?: Child;
  /** The input. */
  readonly children: Child;
  /** More CSS classes. */
  readonly kind?: string;
}

/** An input with its label. */
export function Field({ label, hint, children, kind = "" }: FieldProps): Html {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: The input is a child of the label.
    <label class={`field ${kind}`.trim()}>
      <span class="label">{label}</span>
      {children}
      {hint && <span class="hint">{hint}</span>}
    </label>
  );
}

/** One option of a {@link Select}. */
export interface Choice {
  /** The value that the form sends. */
  readonly value: string;
  /** The text of the option. */
  readonly label: string;
}

/** The properties of {@link Select}. */
export interface SelectProps {
  /** The name of the form field. */
  readonly name: string;
  /** The options. */
  readonly choices: readonly Choice[];
  /** The value of the selected option. Default: the first option. */
  readonly chosen?: string | undefined;
  /** A label for screen readers, where no other label is shown. */
  readonly label?: string;
}

/** A drop-down list. */
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

/** The submit button of a form with fields. */
export function SubmitButton({
  label,
  look = "plain",
  wide = false,
}: {
  readonly label: string;
  readonly look?: "plain" | "primary";
  readonly wide?: boolean;
}): Html {
  return (
    <p class={wide ? "actions wide" : "actions"}>
      <button type="submit" class={look === "primary" ? look : undefined}>
        {label}
      </button>
    </p>
  );
}
