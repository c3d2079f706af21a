import { channels } from "../../state/message.ts";
import { channelName } from "../controls/channel.tsx";
import { FilterForm } from "../controls/filter-form.tsx";
import { Select } from "../controls/form.tsx";
import type { Html } from "../html.ts";
import { type InboxView, inboxAddress } from "./inbox-view.ts";

const everyChannel = [
  { value: "", label: "All channels" },
  ...channels.map((channel) => ({ value: channel, label: channelName(channel) })),
];

/** Searches and filters the inbox. */
export function SearchForm({ view: { applicationId, query } }: { readonly view: InboxView }): Html {
  const action = inboxAddress(applicationId, { ...query, search: "", channel: "" });
  return (
    <FilterForm action={action} search={query.search} label="Number, text or code">
      <Select name="channel" label="Channel" choices={everyChannel} chosen={query.channel} />
    </FilterForm>
  );
}
