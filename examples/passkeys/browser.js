import {
  browserSupportsWebAuthn,
  browserSupportsWebAuthnAutofill,
  startAuthentication,
  startRegistration,
} from "/passkeys/library/index.js";

const form = document.querySelector("form[data-passkey]");
const button = form.querySelector("button");
const problem = form.querySelector("[role=alert]");

/** Posts JSON to the app. Throws what it refuses, with its code. */
async function post(path, body = {}) {
  const answer = await fetch(path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const json = await answer.json();
  if (!answer.ok) throw Object.assign(new Error(json.title), { code: json.code });
  return json;
}

/** Goes to the page that the address names as `next`, if it is one of this site. */
function goOn() {
  const next = new URLSearchParams(location.search).get("next") ?? "/account";
  const isOwn = URL.canParse(next, location.origin) && new URL(next, location.origin).origin === location.origin;
  location.assign(isOwn ? next : "/account");
}

/** Has the person choose a passkey, and sends its answer. */
async function prove(path, useBrowserAutofill = false) {
  const optionsJSON = await post(`${path}/options`);
  const answer = await startAuthentication({ optionsJSON, useBrowserAutofill });
  await post(path, answer);
  goOn();
}

/** Offers the passkeys of the browser among the suggestions for the number's field, until the person chooses one. */
async function offerInField() {
  if (!(await browserSupportsWebAuthnAutofill())) return;
  try {
    await prove("/passkeys/sign-in", true);
  } catch (error) {
    // Otherwise the person has chosen nothing, or has pressed the button.
    if (error.code !== "passkey_refused") return;
    tell(error);
    await offerInField();
  }
}

async function register() {
  const optionsJSON = await post("/passkeys/registration/options");
  await post("/passkeys/registration", await startRegistration({ optionsJSON }));
  location.reload();
}

const ceremonies = {
  "sign-in": () => prove("/passkeys/sign-in"),
  "step-up": () => prove("/passkeys/step-up"),
  registration: register,
};

function tell(error) {
  if (error.code === "proof_required") return location.assign(`/step-up?next=${location.pathname}`);
  if (error.code === "login_required") return location.assign(`/login?next=${location.pathname}`);
  problem.textContent =
    error.code === "ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED"
      ? "This device has a passkey of your account already."
      : "That did not work. Please try again.";
}

if (browserSupportsWebAuthn()) {
  const { passkey: ceremony } = form.dataset;
  form.hidden = false;
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    problem.textContent = "";
    button.disabled = true;
    await ceremonies[ceremony]().catch(tell);
    button.disabled = false;
    if (ceremony === "sign-in") await offerInField();
  });
  if (ceremony === "sign-in") await offerInField();
}
