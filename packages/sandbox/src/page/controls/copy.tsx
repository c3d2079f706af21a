import type { Html } from "../html.ts";
import { Icon } from "./icon.tsx";

/** Shows a code as a chip that copies it. The script does the copying and says so. */
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

/** Reads a code digit by digit: "123456" alone would be a number with a hundred thousand in it. */
function spelled(code: string): string {
  return [...code].join(" ");
}

/** What {@link CopyButton} copies. */
export interface CopyButtonProps {
  readonly text: string;
  /** What it is, after "Copy". */
  readonly what: string;
  /** Shows an icon alone. */
  readonly bare?: boolean;
}

/** A button that copies a text. */
export function CopyButton({ text, what, bare = false }: CopyButtonProps): Html {
  return (
    <button
      type="button"
      class={bare ? "bare" : "quiet"}
      data-copy={text}
      aria-label={`Copy ${what}`}
      title={`Copy ${what}`}
    >
      <Icon name="copy" />
      {!bare && <span>Copy</span>}
    </button>
  );
}

/** A block of text to copy as a whole. */
export function CopyBlock({ text, what }: { readonly text: string; readonly what: string }): Html {
  return (
    <div class="copy-block">
      <pre tabindex={0}>{text}</pre>
      <CopyButton text={text} what={what} bare />
    </div>
  );
}
