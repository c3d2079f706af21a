import { fill, inWords, secondsUntil } from "../view/words.ts";
import type { LivePage } from "./live-page.ts";

/** The pauses of a page: their countdowns are shown each second, and announced at their beginning and their end. */
export interface Pauses {
  /** Looks at the clock, before the page is shown. */
  look(page: LivePage, now: number): void;
  /** Ends the timer. */
  stop(): void;
}

/** Creates the pauses of a page. */
export function createPauses(): Pauses {
  let timer: ReturnType<typeof setInterval> | undefined;
  let resendWaits = false;
  let checkWaits = false;

  function stop(): void {
    clearInterval(timer);
    timer = undefined;
  }

  return {
    stop,
    look({ model, settings, render }, now) {
      const { client, strings, language } = settings();
      const { state } = client.getSnapshot();
      const { resendAt, checkAt } = state?.status === "code_sent" ? state : { resendAt: 0, checkAt: 0 };
      const before = { resendWaits, checkWaits };
      resendWaits = resendAt > now;
      checkWaits = checkAt > now;
      if (resendWaits && !before.resendWaits)
        model.announcement = fill(strings.resendWhen, { when: inWords(secondsUntil(resendAt, now), language) });
      if (resendAt && !resendWaits && before.resendWaits) model.announcement = strings.resendNow;
      if (checkAt && !checkWaits && before.checkWaits) model.announcement = strings.checkNow;
      if (!resendAt) model.announcement = "";
      if (model.noticeUntil <= now) model.notice = "";
      if (!resendWaits && !checkWaits && !model.notice) stop();
      else timer ??= setInterval(render, 1000);
    },
  };
}
