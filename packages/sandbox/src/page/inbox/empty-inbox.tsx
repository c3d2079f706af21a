import type { Application } from "../../state/application.ts";
import { CopyBlock } from "../components/copy-button.tsx";
import type { Html } from "../components/html.ts";
import { Logo } from "../components/icon.tsx";

/** The properties of {@link EmptyInbox}. */
export interface EmptyInboxProps {
  /** The environment as the lines of an `.env` file. */
  readonly env: string;
  /** A shell command that sends a first code. */
  readonly command: string;
}

/** Explains how to send the first message. */
export function EmptyInbox({ env, command }: EmptyInboxProps): Html {
  return (
    <div class="welcome">
      <Logo />
      <h1>No messages yet</h1>
      <p class="lead">
        Every message and every code that your app sends appears here at once. Nothing leaves this machine.
      </p>
      <section aria-labelledby="step-env">
        <h2 id="step-env">Point your app here</h2>
        <CopyBlock text={env} label="the environment" />
      </section>
      <section aria-labelledby="step-curl">
        <h2 id="step-curl">Or send a first code from a terminal</h2>
        <CopyBlock text={command} label="the command" />
      </section>
      <p class="soft">
        This page updates itself. <kbd>c</kbd> copies the newest code, <kbd>?</kbd> shows all keys.
      </p>
    </div>
  );
}

/** Returns a shell command that sends a first code. */
export function firstCommand(
  origin: string,
  { apiKey = "<rotate the key first>", templates }: Pick<Application, "apiKey" | "templates">,
): string {
  const [name = "login"] = Object.keys(templates);
  const body = {
    recipient: "+4915112345678",
    template: { name, variables: {} },
    channels: [{ channel_name: "SMS", priority: 1 }],
  };
  return [
    `curl ${origin}/v1/verifications \\`,
    `  -H 'X-API-KEY: ${apiKey}' -H 'Content-Type: application/json' \\`,
    `  -d '${JSON.stringify(body)}'`,
  ].join("\n");
}
