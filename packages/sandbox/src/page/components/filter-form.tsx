import type { Child } from "hono/jsx";
import type { Html } from "./html.ts";
import { Icon } from "./icon.tsx";

/** The properties of {@link FilterForm}. */
export interface FilterFormProps {
  /** The path of the list. */
  readonly action: string;
  /** The current search text. */
  readonly search: string;
  /** The fields that are searched, for the label. */
  readonly label: string;
  /** More inputs of the form. */
  readonly children?: Child;
}

/** Searches a list. The page's script submits the form while the user types, and the key `/` focuses it. */
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
