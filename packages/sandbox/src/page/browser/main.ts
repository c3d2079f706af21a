import { startAnnouncing, startCopying } from "./announce.ts";
import { startClock } from "./clock.ts";
import { startDialogs, startShortcuts } from "./keyboard.ts";
import { startLiveUpdates } from "./live.ts";
import { startNavigating } from "./navigate.ts";
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
