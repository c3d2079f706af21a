import type { Child } from "hono/jsx";
import type { Html } from "./elements.tsx";
import { Icon, type IconName } from "./icon.tsx";

interface PostButtonProps {
  readonly action: string;
  readonly label: string;
  /** What is acted on, for a screen reader that reads the buttons alone. */
  readonly of?: string;
  readonly icon?: IconName;
  /** Whether only the icon is seen. */
  readonly bare?: boolean;
  readonly look?: "danger" | "primary";
  /** The question that the script of the page asks first. */
  readonly confirm?: string;
  readonly fields?: Readonly<Record<string, string>>;
}

/** A form that consists of one button. */
export function PostButton(props: PostButtonProps): Html {
  const { action, label, of, icon, bare = false, look, confirm, fields = {} } = props;
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
        {of && <span class="unseen"> {of}</span>}
      </button>
    </form>
  );
}

/** The properties of a {@link Field}. */
export interface FieldProps {
  readonly label: string;
  readonly hint?: Child;
  readonly children: Child;
  /** More classes of the field. */
  readonly kind?: string | undefined;
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

/** The properties of a {@link Select}. */
export interface SelectProps {
  readonly name: string;
  /** The label of each choice, by its value. */
  readonly choices: Readonly<Record<string, string>>;
  readonly chosen?: string | undefined;
  /** The name for screen readers, where no label stands beside the list. */
  readonly label?: string;
}

/** A drop-down list. */
export function Select({ name, choices, chosen, label }: SelectProps): Html {
  return (
    <select name={name} aria-label={label}>
      {Object.entries(choices).map(([value, text]) => (
        <option value={value} selected={value === chosen}>
          {text}
        </option>
      ))}
    </select>
  );
}
