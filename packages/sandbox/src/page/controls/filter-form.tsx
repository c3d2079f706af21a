import type { Child } from "hono/jsx";
import type { Html } from "../html.ts";
import { Icon } from "./icon.tsx";

/** What {@link FilterForm} asks for. */
export interface FilterFormProps {
  readonly action: string;
  readonly search: string;
  /** What can be searched for. */
  readonly label: string;
  /** More controls of the same form. */
  readonly children?: Child;
}

/** Searches in a list; the script sends it while one types, and `/` leads to it. */
export function FilterForm({ action, search, label, children }: FilterFormProps): Html {
  return (
    <search class="search">
      <form method="get" action={action} id="search" data-live>
        <span class="search-box">
          <Icon name="search" />
          <input
            type="search"
            name="q"
            id="search-text"
            value={search}
            placeholder="Search"
            title={label}
            aria-label={`Search: ${label}`}
            aria-keyshortcuts="/"
            autocomplete="off"
          />
          <span class="key" aria-hidden="true">
            /
          </span>
        </span>
        {children}
        <button type="submit" class="quiet scriptless">
          Search
        </button>
      </form>
    </search>
  );
}
