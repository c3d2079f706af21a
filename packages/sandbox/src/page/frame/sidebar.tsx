import { address } from "../address.ts";
import { Icon, type IconName, Mark } from "../controls/icon.tsx";
import { type Html, nothing } from "../html.ts";
import type { Frame, SectionName } from "./frame.ts";

const sections: readonly (readonly [SectionName, label: string, icon: IconName])[] = [
  ["inbox", "Inbox", "inbox"],
  ["verifications", "Verifications", "shield"],
  ["webhooks", "Webhooks", "webhook"],
  ["portal", "Portal", "portal"],
  ["clock", "Clock & faults", "clock"],
];

/** The way through the page: the application, its five parts, and whether the page is live. */
export function Sidebar({ frame }: { readonly frame: Frame }): Html {
  return (
    <header class="sidebar">
      <a class="brand" href="/" aria-label="Doorcode sandbox: the default application">
        <Mark />
        <span>
          Doorcode <small>sandbox</small>
        </span>
      </a>
      <Switcher frame={frame} />
      <nav aria-label="Parts">
        <ul>
          {sections.map(([section, label, icon]) => (
            <li>
              <a
                href={sectionAddress(frame, section)}
                aria-current={frame.section === section ? "page" : undefined}
                id={`to-${section}`}
              >
                <Icon name={icon} />
                <span class="label">{label}</span>
                <Badge frame={frame} section={section} />
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <div class="sidebar-foot">
        <p id="live" data-own data-state="off" role="status">
          not live without scripts
        </p>
        <button type="button" class="bare" data-help aria-label="Keyboard and help" title="Keyboard and help (?)">
          <Icon name="help" />
        </button>
      </div>
    </header>
  );
}

function sectionAddress({ application }: Frame, section: SectionName): string {
  return section === "inbox" ? address(application.id) : address(application.id, section);
}

function Badge({ frame, section }: { readonly frame: Frame; readonly section: SectionName }): Html {
  if (section === "inbox") return <span class="badge" data-unread-total hidden></span>;
  if (section === "webhooks" && frame.failingEndpoints > 0) {
    return <CountBadge tone="bad" count={frame.failingEndpoints} what="endpoints failing" />;
  }
  if (section === "clock" && frame.faults > 0) return <CountBadge tone="warn" count={frame.faults} what="faults on" />;
  return nothing;
}

function CountBadge({
  tone,
  count,
  what,
}: {
  readonly tone: string;
  readonly count: number;
  readonly what: string;
}): Html {
  return (
    <span class={`badge ${tone}`}>
      {count}
      <span class="unseen"> {what}</span>
    </span>
  );
}

/** Without scripts a details element opens too. */
function Switcher({ frame: { application, applications } }: { readonly frame: Frame }): Html {
  return (
    <details class="switcher" id="switcher">
      <summary>
        <span class="unseen">Application: </span>
        <span class="name">{application.name}</span>
        <Icon name="down" />
      </summary>
      <ul>
        {applications.map(({ id, name }) => (
          <li>
            <a href={address(id)} aria-current={id === application.id ? "true" : undefined}>
              {name}
            </a>
          </li>
        ))}
        <li class="more">
          <a href={`${address(application.id, "portal", "account")}#applications`}>All applications, create one …</a>
        </li>
      </ul>
    </details>
  );
}
