import { type Html, Icon, Logo, nothing, type Tone } from "@doorcode/operations/page-parts";
import { applicationPath } from "../components/paths.ts";
import { type LayoutData, type SectionName, sections } from "./layout-data.ts";

/** The navigation: the application, its sections, and whether the page is live. */
export function Sidebar(layout: LayoutData): Html {
  return (
    <header class="sidebar">
      <a class="brand" href="/" aria-label="Doorcode sandbox: the default application">
        <Logo />
        <span>
          Doorcode <small>sandbox</small>
        </span>
      </a>
      <Switcher {...layout} />
      <nav aria-label="Sections">
        <ul>
          {sections.map(([section, label, icon]) => (
            <li>
              <a
                href={applicationPath(layout.application.id, ...(section === "inbox" ? [] : [section]))}
                aria-current={layout.section === section ? "page" : undefined}
                id={`to-${section}`}
              >
                <Icon name={icon} />
                <span class="label">{label}</span>
                {badge(layout, section)}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <div class="sidebar-foot">
        <p id="live" data-own data-state="off" role="status">
          Not live without scripts
        </p>
        <button type="button" class="bare" data-help aria-label="Keyboard and help" title="Keyboard and help (?)">
          <Icon name="help" />
        </button>
      </div>
    </header>
  );
}

function badge({ failingEndpoints, faults }: LayoutData, section: SectionName): Html {
  if (section === "inbox") return <span class="badge" data-unread-total hidden></span>;
  if (section === "webhooks" && failingEndpoints > 0) return countBadge("bad", failingEndpoints, "endpoints failing");
  return section === "clock" && faults > 0 ? countBadge("warn", faults, "faults on") : nothing;
}

function countBadge(tone: Tone, count: number, label: string): Html {
  return (
    <span class={`badge ${tone}`}>
      {count}
      <span class="unseen"> {label}</span>
    </span>
  );
}

/** A details element also opens without scripts. */
function Switcher({ application, applications }: LayoutData): Html {
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
            <a href={applicationPath(id)} aria-current={id === application.id ? "true" : undefined}>
              {name}
            </a>
          </li>
        ))}
        <li class="more">
          <a href={`${applicationPath(application.id, "portal", "account")}#applications`}>All applications …</a>
        </li>
      </ul>
    </details>
  );
}
