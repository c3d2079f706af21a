import { onPageUpdate, recentMessages, shownApplication } from "./shown-page.ts";

/** The messages of an application that the user has read. */
interface ReadMessages {
  readonly threads: Readonly<Record<string, string>>;
  readonly all: string | undefined;
}

const maxThreads = 500;
const nothingRead: ReadMessages = { threads: {}, all: undefined };

/** Shows unread messages in the list, in the navigation and in the title of the tab. */
export function startUnread(): void {
  onPageUpdate(updateUnread);
  document.addEventListener("visibilitychange", updateUnread);
  document.addEventListener("click", ({ target }) => {
    if (!(target instanceof Element)) return;
    if (target.closest("[data-read-all]")) readAll();
    const code = target.closest("[data-code]");
    if (code) readWithCode(code);
  });
}

/** Stores that the open thread is read, and shows what is unread. */
function updateUnread(): void {
  const open = document.querySelector<HTMLElement>("[data-reads]")?.dataset.reads;
  if (open !== undefined && !document.hidden) {
    const newest = recentMessages().find(({ thread }) => thread === open)?.id;
    const row = document.querySelector<HTMLElement>(`[data-thread="${CSS.escape(open)}"]`);
    readThread(open, newest ?? row?.dataset.newest);
  }
  const counts = countUnread(read());
  for (const row of document.querySelectorAll<HTMLElement>("[data-thread]")) showRow(row, counts);
  showTotal(counts);
}

/** The code is in a message, or in the row of a thread. */
function readWithCode(code: Element): void {
  const id = code.closest("[data-message]")?.id;
  const message = recentMessages().find((recent) => recent.id === id);
  const row = code.parentElement?.querySelector<HTMLElement>("[data-newest]")?.dataset;
  readThread(message?.thread ?? row?.thread, message?.id ?? row?.newest);
  updateUnread();
}

function readThread(thread: string | undefined, id: string | undefined): void {
  const { threads, all } = read();
  if (thread === undefined || id === undefined || threads[thread] === id) return;
  const others = Object.entries(threads).filter(([name]) => name !== thread);
  write({ threads: Object.fromEntries([...others, [thread, id] as const].slice(-maxThreads)), all });
}

function readAll(): void {
  const [newest] = recentMessages();
  if (newest) write({ threads: {}, all: newest.id });
  updateUnread();
}

/** Counts unread messages by thread, among the newest messages. */
function countUnread({ threads, all }: ReadMessages): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  const done = new Set<string>();
  for (const { id, thread } of recentMessages()) {
    if (id === all) break;
    if (threads[thread] === id) done.add(thread);
    if (!done.has(thread)) counts.set(thread, (counts.get(thread) ?? 0) + 1);
  }
  return counts;
}

function showRow(row: HTMLElement, counts: ReadonlyMap<string, number>): void {
  const { thread = "", newest } = row.dataset;
  const { threads, all } = read();
  const recent = recentMessages();
  const older = !recent.some((message) => message.thread === thread);
  const unreadOlder = older && threads[thread] !== newest && !recent.some(({ id }) => id === all);
  const count = counts.get(thread) ?? (unreadOlder ? 1 : 0);
  const badge = row.querySelector<HTMLElement>("[data-unread]");
  row.classList.toggle("is-unread", count > 0);
  if (!badge) return;
  badge.hidden = count === 0;
  badge.textContent = older ? "" : String(count);
  badge.setAttribute("aria-label", "unread");
}

function showTotal(counts: ReadonlyMap<string, number>): void {
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const text = total > 0 && total === recentMessages().length && total >= 50 ? `${total}+` : String(total);
  document.title = `${total > 0 ? `(${text}) ` : ""}${document.title.replace(/^\(\d+\+?\) /, "")}`;
  const badge = document.querySelector<HTMLElement>("[data-unread-total]");
  if (!badge) return;
  badge.hidden = total === 0;
  badge.textContent = text;
}

function read(): ReadMessages {
  try {
    const stored: Partial<ReadMessages> = JSON.parse(localStorage.getItem(storageKey()) ?? "{}");
    return { ...nothingRead, ...stored };
  } catch {
    return nothingRead;
  }
}

function write(readMessages: ReadMessages): void {
  localStorage.setItem(storageKey(), JSON.stringify(readMessages));
}

function storageKey(): string {
  return `doorcode-sandbox:read:${shownApplication()}`;
}
