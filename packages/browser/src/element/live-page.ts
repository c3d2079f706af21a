import type { PhoneLoginClient } from "../client/create-phone-login.ts";
import type { LoginOffer, Purpose } from "../client/wire.ts";
import type { Strings } from "../strings/strings.ts";
import { ownPath } from "../view/own-path.ts";
import { page } from "../view/page.ts";
import { type ConsentLine, fieldOf, type LiveView, type ShownProblem } from "../view/view.ts";
import { patchChildren } from "./patch.ts";

/** What the app has said about the page, as it is now. */
export interface PageSettings {
  readonly client: PhoneLoginClient;
  /** `undefined` until it is known. */
  readonly offer: LoginOffer | undefined;
  readonly purpose: Purpose;
  readonly basePath: string;
  readonly language: string;
  readonly strings: Strings;
  /** The path of this site to go to after the login. */
  readonly next: string | undefined;
  /** The id of the app's form that gets the proof of a `verify`. */
  readonly form: string | undefined;
  /** The line of consent below the number. */
  readonly consent: ConsentLine | undefined;
}

/** What only this page knows, and what changes without the server. */
export interface PageModel extends Writable<Omit<LiveView, "pending">> {
  problem?: ShownProblem | undefined;
  /** The instant until which the notice stays. */
  noticeUntil: number;
}

type Writable<Type> = { -readonly [Name in keyof Type]: Type[Name] };

/** A page that is shown. */
export interface LivePage {
  readonly element: HTMLElement;
  readonly model: PageModel;
  /** Reads the settings. */
  settings(): PageSettings;
  /** Finds a part of the page. */
  part<Found extends HTMLElement>(name: string): Found | null;
  /** Shows what is known now. */
  render(): void;
  /** Sets the problem, or removes it. The same problem again is announced again. */
  setProblem(problem: ShownProblem | undefined): void;
  /** Shows a problem, and moves the focus to the field that it is about. */
  refuse(problem: ShownProblem): void;
  /** Moves the focus to the field of the step. */
  focusField(): void;
}

/** The offer of a server that could not be asked. */
export const noOffer: LoginOffer = { countries: [], codeLength: null };

/** Creates the page inside an element. `beforeRender` may change the model for what the clock says. */
export function createLivePage(
  element: HTMLElement,
  settings: () => PageSettings,
  beforeRender: (page: LivePage, now: number) => void,
): LivePage {
  const model = newModel();
  const hasFocus = () => element.contains(document.activeElement);
  const part: LivePage["part"] = (name) => element.querySelector(`[part~="${name}"]`);

  const live: LivePage = {
    element,
    model,
    settings,
    part,
    render() {
      const now = Date.now();
      beforeRender(live, now);
      const { client, offer, language, ...more } = settings();
      const { state, pending } = client.getSnapshot();
      // Half a form would move under the person's fingers, so both are awaited. What the server has rendered stays until then.
      const known = offer && state;
      if (!known && !model.problem && part("root")) return;
      const shown = offer ?? noOffer;
      const country = part<HTMLSelectElement>("country")?.value ?? model.country;
      const hadFocus = hasFocus();
      const view = {
        ...more,
        state: known,
        offer: shown,
        language,
        challenge: "",
        now,
        problem: model.problem,
      };
      patchChildren(element, [page({ ...view, live: { ...model, country, pending } })]);
      if (hadFocus && !hasFocus()) live.focusField();
    },
    setProblem(problem) {
      model.problem = problem;
      if (problem) model.problemNumber += 1;
    },
    refuse(problem) {
      live.setProblem(problem);
      live.render();
      const name = fieldOf(problem);
      const field = name && part<HTMLInputElement>(name);
      field?.focus();
      field?.select();
    },
    focusField() {
      (part("code") ?? part("phone") ?? part("button"))?.focus();
    },
  };
  return live;
}

function newModel(): PageModel {
  return {
    problemNumber: 0,
    codeId: `c${Math.random().toString(36).slice(2)}`,
    isChanging: false,
    isDone: false,
    phone: "",
    submitted: "",
    isSlow: false,
    notice: "",
    noticeUntil: 0,
    announcement: "",
  };
}

/** Returns where to go after the login: `next`, else `done`, else the start page; always a path of this site. */
export function destinationOf(element: HTMLElement): string {
  return ownPath(element.getAttribute("next")) ?? ownPath(element.getAttribute("done")) ?? "/";
}
