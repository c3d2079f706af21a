import { defaultApplicationId } from "../../state/application.ts";
import { Card } from "../components/card.tsx";
import { CopyBlock } from "../components/copy-button.tsx";
import type { Html } from "../components/html.ts";

/** The properties of {@link NoDecisions}. */
export interface NoDecisionsProps {
  /** The application. */
  readonly applicationId: string;
  /** The URL of this sandbox, as the browser has it. */
  readonly origin: string;
}

/** Says how an app sends its decisions here. */
export function NoDecisions({ applicationId, origin }: NoDecisionsProps): Html {
  const isDefault = applicationId === defaultApplicationId;
  const args = [origin, ...(isDefault ? [] : [{ application: applicationId }])].map((each) => JSON.stringify(each));
  return (
    <Card
      id="no-decisions"
      title="No decisions yet"
      lead="Before your app sends a code, its limits decide. To watch them here, pass your app's events on:"
    >
      <CopyBlock
        label="the lines for your app"
        text={`import { sendEventsTo } from "@doorcode/sandbox/events";

createDoorcode({ onEvent: sendEventsTo(${args.join(", ")}), … })`}
      />
      <p class="soft">Then start a login. Only decisions are sent: no numbers, no addresses.</p>
    </Card>
  );
}
