import { sendingText } from "../view/parts.ts";
import { pauseOf } from "../view/view.ts";
import { fill, inWords, secondsUntil } from "../view/words.ts";
import type { LivePage } from "./live-page.ts";

/** What time changes on a page: pauses are counted down each second, and a slow action says that it is one. */
export interface Pauses {
  /** Looks at the clock, before the page is shown. */
  look(page: LivePage, now: number): void;
  /** Ends the timers. */
  stop(): void;
}

/** A person notices a longer wait. */
const slowMilliseconds = 300;

/** Creates the pauses of a page. */
export function createPauses(): Pauses {
  let timer: ReturnType<typeof setInterval> | undefined;
  let slowTimer: ReturnType<typeof setTimeout> | undefined;
  let sendWaits = false;
  let checkWaits = false;
  let said = "";

  function stop(): void {
    clearInterval(timer);
    timer = undefined;
  }

  function stopSlow(): void {
    clearTimeout(slowTimer);
    slowTimer = undefined;
  }

  return {
    stop() {
      stop();
      stopSlow();
    },
    look({ model, settings, render }, now) {
      const { client, strings, language } = settings();
      const { state, pending } = client.getSnapshot();
      const { problem } = model;
      // A countdown is announced at its beginning and at its end, unless the login has ended before.
      const announce = (next: "send" | "check", waited: boolean, beginning: string, end: string) => {
        const until = pauseOf(next, { state, problem, now });
        const waits = until > now;
        const words = waits ? fill(beginning, { when: inWords(secondsUntil(until, now), language) }) : end;
        if (waits !== waited) said = until ? words : "";
        return waits;
      };
      sendWaits = announce("send", sendWaits, strings.resendWhen, strings.resendNow);
      checkWaits = announce("check", checkWaits, strings.again, strings.checkNow);
      if (pending) {
        slowTimer ??= setTimeout(() => {
          model.isSlow = true;
          render();
        }, slowMilliseconds);
      } else {
        stopSlow();
        model.isSlow = false;
      }
      const challengeText = problem?.code === "challenge_required" && strings.problems.challenge_required;
      model.announcement = model.isSlow ? sendingText(strings, model.submitted) : challengeText || said;
      if (model.noticeUntil <= now) model.notice = "";
      if (!sendWaits && !checkWaits && !model.notice) stop();
      else timer ??= setInterval(render, 1000);
    },
  };
}
