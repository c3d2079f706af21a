import { createPhoneLogin, type PhoneLoginClient } from "../client/create-phone-login.ts";
import type { TimedLoginState } from "../client/timed-state.ts";
import type { LoginOffer, LoginState, Purpose } from "../client/wire.ts";
import { en } from "../strings/en.ts";
import { mergeStrings } from "../strings/merge-strings.ts";
import type { StringsOverride } from "../strings/strings.ts";
import { readInitial, shownProblem } from "../view/initial.ts";
import { ownPath } from "../view/own-path.ts";
import type { ConsentLine } from "../view/view.ts";
import { languageOf } from "../view/words.ts";
import { dispatch } from "./events.ts";
import { createFields } from "./fields.ts";
import { createLivePage, type LivePage, noOffer, type PageSettings } from "./live-page.ts";
import { createPageActions } from "./page-actions.ts";
import { createPauses } from "./pauses.ts";
import { createWebOtp } from "./web-otp.ts";

/** Where there is no page, as while a server renders, the module can still be loaded. */
const Base: typeof HTMLElement = globalThis.HTMLElement ?? (class {} as typeof HTMLElement);

/**
 * The login page: asks for a number, then for the code. It takes over what the server has rendered, or asks for the state
 * and the offer itself. The inputs stand in the light DOM; the element owns all that is inside it.
 */
export class PhoneLogin extends Base {
  static readonly observedAttributes: readonly string[] = ["base-path", "purpose", "lang", "next", "done", "form"];

  #givenClient: PhoneLoginClient | undefined;
  /** The client of the element's own. It outlives a move of the element. */
  #ownClient: PhoneLoginClient | undefined;
  #state: LoginState | undefined;
  #offer: LoginOffer | undefined;
  #strings: StringsOverride | undefined;
  #consent: ConsentLine | undefined;
  #page: LivePage | undefined;
  /** Ends with the connection to the page. */
  #connection = new AbortController();

  /** Words that replace the English ones: those of another language, or your own. */
  get strings(): StringsOverride | undefined {
    return this.#strings;
  }
  set strings(strings: StringsOverride | undefined) {
    this.#strings = strings;
    this.#page?.render();
  }

  /** The line of consent below the number. Default: that of the rendered page. */
  get consent(): ConsentLine | undefined {
    return this.#consent;
  }
  set consent(consent: ConsentLine | undefined) {
    this.#consent = consent;
    this.#page?.render();
  }

  /** What the login offers. Asked from the server if neither this nor the rendered page has it. */
  get offer(): LoginOffer | undefined {
    return this.#offer;
  }
  set offer(offer: LoginOffer | undefined) {
    this.#offer = offer;
    this.#page?.render();
  }

  /**
   * The state. Set it to begin with one that is known already. Until the first change, a state that the server has rendered has an empty
   * `userId` in place of the user's.
   */
  get state(): LoginState | undefined {
    return this.client?.getSnapshot().state ?? this.#state;
  }
  set state(state: LoginState | undefined) {
    this.#state = state;
    this.#beginAnew();
  }

  /** The client, for a page that shares one with the element. Default: one of the element's own. */
  get client(): PhoneLoginClient | undefined {
    return this.#givenClient ?? this.#ownClient;
  }
  set client(client: PhoneLoginClient | undefined) {
    this.#givenClient = client;
    this.#beginAnew();
  }

  /** The path of the mount: the attribute `base-path`. Default: `/login`. */
  get basePath(): string {
    return (this.getAttribute("base-path") ?? "/login").replace(/\/+$/, "");
  }
  set basePath(path: string) {
    this.setAttribute("base-path", path);
  }

  /** The purpose of the mount, `login`, `link`, `step_up` or `verify`: the attribute `purpose`. Default: `login`. */
  get purpose(): Purpose {
    const purpose = this.getAttribute("purpose") as Purpose;
    return Object.hasOwn(en.intro, purpose) ? purpose : "login";
  }
  set purpose(purpose: Purpose) {
    this.setAttribute("purpose", purpose);
  }

  /** Connects to the page, once the parser has read what the server has rendered. */
  connectedCallback(): void {
    this.#connection = new AbortController();
    const { signal } = this.#connection;
    if (document.readyState !== "loading") this.#connect(signal);
    else document.addEventListener("DOMContentLoaded", () => this.#connect(signal), { signal });
  }

  /** Ends everything that is pending. */
  disconnectedCallback(): void {
    this.#connection.abort();
    this.#page = undefined;
  }

  /** Follows a changed attribute. */
  attributeChangedCallback(name: string, before: string | null, value: string | null): void {
    if (name !== "base-path") this.#page?.render();
    else if (before !== value) this.#beginAnew();
  }

  #beginAnew(): void {
    this.#ownClient?.close();
    this.#ownClient = undefined;
    if (!this.#page) return;
    this.disconnectedCallback();
    this.connectedCallback();
  }

  #connect(signal: AbortSignal): void {
    this.#takeEarlyProperties();
    const initial = readInitial(this.getAttribute("data-initial"));
    this.#offer ??= initial.offer;
    this.#strings ??= initial.strings;
    this.#consent ??= initial.consent;
    const isFirst = this.client === undefined;
    const state = this.#state ?? initial.state;
    const client = this.client ?? createPhoneLogin({ basePath: this.basePath, state });
    if (isFirst) this.#ownClient = client;

    const pauses = createPauses();
    const otp = createWebOtp();
    const page = createLivePage(this, () => this.#settings(client), pauses.look);
    this.#page = page;
    if (initial.problem && isFirst) page.model.problem = shownProblem(initial.problem, Date.now());
    const fields = createFields(page);
    const isConnected = () => !signal.aborted;
    const loadOffer = () => this.#loadOffer(client, isConnected);
    const actions = createPageActions({ page, fields, otp, loadOffer, isConnected });

    let seen: TimedLoginState | undefined;
    const follow = () => {
      const before = seen;
      seen = client.getSnapshot().state;
      const isNew = seen !== undefined && seen !== before;
      if (isNew) actions.follow(before, seen as TimedLoginState);
      page.render();
      if (isNew) dispatch(this, "phone-login:statechange", { state: seen as TimedLoginState });
    };
    const ends = [client.subscribe(follow), otp.abort, pauses.stop];
    signal.addEventListener("abort", () => {
      for (const end of ends) end();
    });
    const on = (handle: (event: Event) => void, ...types: readonly string[]) => {
      for (const type of types) this.addEventListener(type, handle, { signal });
    };
    on(actions.submit, "submit");
    on(actions.click, "click");
    on(fields.handle, "input", "change", "focusout", "paste");
    follow();
    void actions.load();
  }

  /** Properties that were set before the element was defined hide its accessors. */
  #takeEarlyProperties(): void {
    for (const name of ["strings", "consent", "offer", "state", "client"] as const) {
      if (!Object.hasOwn(this, name)) continue;
      const { [name]: value } = this;
      delete this[name];
      Object.assign(this, { [name]: value });
    }
  }

  async #loadOffer(client: PhoneLoginClient, isConnected: () => boolean): Promise<void> {
    const isKnown = () => (this.#offer ?? noOffer) !== noOffer;
    if (isKnown()) return;
    const result = await client.offer();
    // Without an offer a number in international form can still be entered.
    if (isConnected() && !isKnown()) this.#offer = "offer" in result ? result.offer : noOffer;
  }

  #settings(client: PhoneLoginClient): PageSettings {
    const language = languageOf(this.closest<HTMLElement>("[lang]")?.lang || navigator.language);
    return {
      client,
      offer: this.#offer,
      purpose: this.purpose,
      basePath: this.basePath,
      language,
      strings: mergeStrings(en, this.#strings),
      next: ownPath(this.getAttribute("next")),
      form: this.getAttribute("form") ?? undefined,
      consent: this.#consent,
    };
  }
}
