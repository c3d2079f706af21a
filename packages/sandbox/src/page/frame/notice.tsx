import { CopyBlock } from "../controls/copy.tsx";
import { Icon } from "../controls/icon.tsx";
import { type Html, nothing } from "../html.ts";
import type { Notice } from "./frame.ts";

/** What the last act has to say. It stands until it is closed: a secret in it is never shown again. */
export function NoticeBox({ notice }: { readonly notice: Notice | undefined }): Html {
  if (!notice) return nothing;
  const { kind, text, secret } = notice;
  return (
    <div class={`notice ${kind}`} id="notice" role={kind === "problem" ? "alert" : "status"} data-stays>
      <Icon name={kind === "done" ? "check" : "warning"} />
      <div>
        <p>{text}</p>
        {secret !== undefined && <CopyBlock text={secret} what="the secret" />}
      </div>
      <button type="button" class="bare" data-close="notice" aria-label="Close" title="Close">
        <Icon name="cross" />
      </button>
    </div>
  );
}
