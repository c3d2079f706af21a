import { startAnnouncing } from "./announce.ts";
import { startClock } from "./clock.ts";
import { startCopying } from "./copy.ts";
import { startDialogs } from "./dialogs.ts";
import { startKeys } from "./keys.ts";
import { startLive } from "./live.ts";
import { startNavigating } from "./navigate.ts";
import { startUnread } from "./unread.ts";

// Without this class the style sheet shows what is needed when no script runs.
document.documentElement.classList.add("scripted");
startNavigating();
startUnread();
startAnnouncing();
startClock();
startCopying();
startDialogs();
startKeys();
startLive();
