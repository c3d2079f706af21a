/** What a page does that matters to its live state. */
export interface PageLife {
  /** The person sees the page again, or the network is back: what is known may be old. */
  onReturn(): void;
  /** The page is hidden. */
  onLeave(): void;
}

/** The time after which a return is reported: the events of one return come together. */
const togetherMilliseconds = 100;

/** Tells whether the page is visible; always true outside of a browser. */
export function isVisible(): boolean {
  return typeof document === "undefined" || document.visibilityState !== "hidden";
}

/**
 * Reports when the person leaves the page and returns to it. A frozen page gets no error for the requests that it had, so
 * each `pageshow` counts, not only one from the cache.
 *
 * @returns the function that ends it.
 */
export function watchPage({ onReturn, onLeave }: PageLife): () => void {
  if (typeof document === "undefined") return () => {};
  const watching = new AbortController();
  const { signal } = watching;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const handle = () => {
    clearTimeout(timer);
    if (isVisible()) timer = setTimeout(onReturn, togetherMilliseconds);
    else onLeave();
  };
  document.addEventListener("visibilitychange", handle, { signal });
  for (const type of ["pageshow", "online"]) window.addEventListener(type, handle, { signal });
  return () => {
    clearTimeout(timer);
    watching.abort();
  };
}
