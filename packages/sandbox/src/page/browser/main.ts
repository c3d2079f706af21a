import { startAnnouncing } from "./announce.ts";
import { startCopying } from "./clipboard.ts";
import { startClock } from "./clock.ts";
import { startDialogs } from "./dialog-events.ts";
import { startLiveUpdates } from "./live.ts";
import { startNavigating } from "./navigate.ts";
import { startShortcuts } from "./shortcuts.ts";
import { startUnread } from "./unread.ts";

// Without this class the style sheet shows the elements for browsers without scripts.
document.documentElement.classList.add("scripted");
startNavigating();
startUnread();
startAnnouncing();
startClock();
startCopying();
startDialogs();
startShortcuts();
startLiveUpdates();
