import { createDoorcode } from "@doorcode/core";
import { openEngine, type Place } from "../inbox/open-engine.ts";
import { hosts } from "../support/hosts.ts";

/** The settings of a process that handles webhooks before it answers: its argument, as JSON. */
export interface ReceivingSettings {
  readonly place: Place;
  /** The name of the framework. */
  readonly host: string;
}

/** A message from the process to the test. */
export type ReceivingNote = { readonly type: "up"; readonly url: string } | { readonly type: "begun" };

const tell = (note: ReceivingNote) => process.send?.(note);
const settings: ReceivingSettings = JSON.parse(process.argv[2] ?? "{}");
const { store } = openEngine(settings.place);
const doorcode = createDoorcode({
  store,
  onEvent: () => undefined,
  webhooks: {
    secret: "whk_of_the_tests",
    on: {
      // It is killed in here.
      "message.status.update": () => {
        tell({ type: "begun" });
        return Promise.withResolvers<void>().promise;
      },
    },
  },
});
const served = await hosts
  .find(({ name }) => name === settings.host)
  ?.serve(doorcode, { login: false, webhooks: true });
tell({ type: "up", url: `${served?.url}/webhooks` });
