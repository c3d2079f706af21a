import { CopyBlock } from "../components/copy-button.tsx";
import { type Html, nothing } from "../components/html.ts";
import { Icon } from "../components/icon.tsx";
import type { Notice } from "./layout-data.ts";

/** Shows the result of the previous form until it is closed. A secret in it is never shown again. */
export function NoticeBox({ notice }: { readonly notice: Notice | undefined }): Html {
  if (!notice) return nothing;
  const { kind, text, lines = [], secret } = notice;
  return (
    <div class={`notice ${kind}`} id="notice" role={kind === "problem" ? "alert" : "status"} data-stays>
      <Icon name={kind === "done" ? "check" : "warning"} />
      <div>
        <p>{text}</p>
        {lines.length > 0 && (
          <ul>
            {lines.map((line) => (
              <li>{line}</li>
            ))}
          </ul>
        )}
        {secret !== undefined && <CopyBlock text={secret} label="the secret" />}
      </div>
      <button type="button" class="bare" data-close="notice" aria-label="Close" title="Close">
        <Icon name="cross" />
      </button>
    </div>
  );
}
