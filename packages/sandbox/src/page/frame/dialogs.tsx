import type { Html } from "../html.ts";

const keys: readonly (readonly [keys: readonly string[], does: string])[] = [
  [["/"], "Search"],
  [["j", "k"], "Next and previous row"],
  [["Enter"], "Open the row"],
  [["c"], "Copy the code of the row, or the newest one"],
  [["Esc"], "Back to the list"],
  [["1", "5"], "Inbox, verifications, webhooks, portal, clock"],
  [["?"], "This help"],
];

/** The keys of the page. The script opens it. */
export function HelpDialog(): Html {
  return (
    <dialog id="help" aria-labelledby="help-title" data-own>
      <h2 id="help-title">Keyboard</h2>
      <dl class="keys">
        {keys.map(([names, does]) => (
          <div>
            <dt>
              {names.map((name, index) => (
                <>
                  {index > 0 && (does.startsWith("Inbox") ? " … " : " ")}
                  <kbd>{name}</kbd>
                </>
              ))}
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <label class="check">
        <input type="checkbox" id="keys-on" checked /> Single-key shortcuts
      </label>
      <form method="dialog">
        <button type="submit" class="primary">
          Close
        </button>
      </form>
    </dialog>
  );
}

/** Asks before an act that cannot be undone. The script fills it in. */
export function AskDialog(): Html {
  return (
    <dialog id="ask" aria-labelledby="ask-text" role="alertdialog" data-own>
      <p id="ask-text"></p>
      <form method="dialog" class="row">
        <button type="submit" value="no" class="quiet">
          Cancel
        </button>
        <button type="submit" value="yes" class="danger" id="ask-yes">
          Yes
        </button>
      </form>
    </dialog>
  );
}
