import type { Html } from "../components/html.ts";

const shortcuts: readonly (readonly [keys: readonly string[], action: string])[] = [
  [["/"], "Search"],
  [["j", "k"], "Next and previous row"],
  [["Enter"], "Open the row"],
  [["c"], "Copy the code of the row, or the newest code"],
  [["Esc"], "Back to the list"],
  [["1", "6"], "Inbox, verifications, webhooks, portal, clock, limits"],
  [["?"], "Show this help"],
];

/** The dialog with the keyboard shortcuts. The page's script opens it. */
export function HelpDialog(): Html {
  return (
    <dialog id="help" aria-labelledby="help-title" data-own>
      <h2 id="help-title">Keyboard</h2>
      <dl class="keys">
        {shortcuts.map(([keys, action]) => (
          <div>
            <dt>
              {keys.map((key, index) => (
                <>
                  {index > 0 && (action.startsWith("Inbox") ? " … " : " ")}
                  <kbd>{key}</kbd>
                </>
              ))}
            </dt>
            <dd>{action}</dd>
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

/** The dialog that asks before an action that cannot be undone. The page's script fills in the question. */
export function ConfirmDialog(): Html {
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
