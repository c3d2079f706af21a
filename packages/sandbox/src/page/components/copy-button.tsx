import type { Html } from "./html.ts";
import { Icon } from "./icon.tsx";

/** Shows a code as a button that copies it. The page's script copies the code and confirms it. */
export function CodeChip({ code, small = false }: { readonly code: string; readonly small?: boolean }): Html {
  return (
    <button
      type="button"
      class={small ? "code small" : "code"}
      data-copy={code}
      data-code
      aria-label={`Copy code ${code}: ${spelled(code)}`}
    >
      <span>{code}</span>
      <Icon name="copy" />
    </button>
  );
}

/** Separates the digits. A screen reader would read "123456" as one large number. */
function spelled(code: string): string {
  return [...code].join(" ");
}

/** The properties of {@link CopyButton}. */
export interface CopyButtonProps {
  /** The text to copy. */
  readonly text: string;
  /** The name of the text, for the label "Copy …". */
  readonly label: string;
  /** Shows only the icon. */
  readonly bare?: boolean;
}

/** A button that copies a text. */
export function CopyButton({ text, label, bare = false }: CopyButtonProps): Html {
  return (
    <button
      type="button"
      class={bare ? "bare" : "quiet"}
      data-copy={text}
      aria-label={`Copy ${label}`}
      title={`Copy ${label}`}
    >
      <Icon name="copy" />
      {!bare && <span>Copy</span>}
    </button>
  );
}

/** Shows a block of text with a button that copies it. */
export function CopyBlock({ text, label }: { readonly text: string; readonly label: string }): Html {
  return (
    <div class="copy-block">
      <pre tabindex={0}>{text}</pre>
      <CopyButton text={text} label={label} bare />
    </div>
  );
}
