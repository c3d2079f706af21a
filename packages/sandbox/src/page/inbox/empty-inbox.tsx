import { CopyBlock } from "../controls/copy.tsx";
import { Mark } from "../controls/icon.tsx";
import type { Html } from "../html.ts";

/** What {@link EmptyInbox} shows. */
export interface EmptyInboxProps {
  /** The environment as lines of an `.env` file. */
  readonly env: string;
  /** A command that sends a first code. */
  readonly curl: string;
}

/** Says how the first message comes here. */
export function EmptyInbox({ env, curl }: EmptyInboxProps): Html {
  return (
    <div class="welcome">
      <Mark />
      <h1>No messages yet</h1>
      <p class="lead">
        Every message and every code that your app sends stands here at once. Nothing leaves this machine.
      </p>
      <section aria-labelledby="step-env">
        <h2 id="step-env">Point your app here</h2>
        <CopyBlock text={env} what="the environment" />
      </section>
      <section aria-labelledby="step-curl">
        <h2 id="step-curl">Or send a first code from a terminal</h2>
        <CopyBlock text={curl} what="the command" />
      </section>
      <p class="soft">
        This page follows along by itself. <kbd>c</kbd> copies the newest code, <kbd>?</kbd> shows all keys.
      </p>
    </div>
  );
}
