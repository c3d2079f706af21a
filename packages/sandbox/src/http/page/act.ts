import { type Context, Hono } from "hono";
import type { SandboxApplication } from "../../controls/application.ts";
import { withQuery } from "../../page/address.ts";
import type { Notice } from "../../page/frame/frame.ts";
import { refusalOf } from "../refuse.ts";
import type { PageDesk } from "./desk.ts";
import { type PageForm, readForm } from "./form.ts";

/** What an act of the page is given. */
export interface PageActInput {
  readonly form: PageForm;
  /** The application that the address names. */
  readonly application: SandboxApplication;
  /** A part of the address. */
  readonly part: (name: string) => string;
  /** Where this sandbox is, as the browser calls it. */
  readonly origin: string;
}

/** What an act answers: where to go on, when not where the form stands, and what to say there. */
export interface PageActResult {
  readonly to?: string;
  readonly notice?: Notice;
}

/** What forms do, by the path below an application. */
export interface PageActs {
  /** These go on where the form stands. */
  readonly staying?: Readonly<Record<string, (input: PageActInput) => void>>;
  /** These have somewhere to go, or something to say. */
  readonly leading?: Readonly<Record<string, (input: PageActInput) => PageActResult | Promise<PageActResult>>>;
}

/**
 * Creates the routes of acts, each below an application. Whatever becomes of one, the browser goes on with a view: a
 * refusal is said there.
 */
export function createActs(desk: PageDesk, { staying = {}, leading = {} }: PageActs): Hono {
  const routes = new Hono();
  const stays = Object.entries(staying).map(([path, act]) => {
    const stay = async (input: PageActInput): Promise<PageActResult> => {
      await act(input);
      return {};
    };
    return [path, stay] as const;
  });
  for (const [path, act] of [...stays, ...Object.entries(leading)]) {
    routes.post(`/applications/:application/${path}`, async (c) => {
      const form = await readForm(c);
      return goOn(c, desk, async () => {
        const part = (name: string) => c.req.param(name) ?? "";
        return act({ form, application: desk.find(c), part, origin: new URL(c.req.url).origin });
      });
    });
  }
  return routes;
}

/** Does an act and leads the browser on; a refusal becomes a notice. */
export async function goOn(c: Context, desk: PageDesk, act: () => Promise<PageActResult>): Promise<Response> {
  const result = await act().catch(problem);
  const back = backAddress(c);
  const address = result.to ?? back;
  const flash = result.notice && desk.notices.keep(result.notice);
  return c.redirect(
    address.includes("?") ? `${address}${flash ? `&flash=${flash}` : ""}` : withQuery(address, { flash }),
    303,
  );
}

function problem(error: unknown): PageActResult {
  const { message, field } = refusalOf(error);
  return { notice: { kind: "problem", text: field ? `${field}: ${message}` : message } };
}

/** Where the form stands: only a page of this sandbox is gone back to. */
function backAddress(c: Context): string {
  const here = new URL(c.req.url);
  const referer = URL.parse(c.req.header("referer") ?? "");
  if (referer?.origin !== here.origin) return "/";
  referer.searchParams.delete("flash");
  return referer.href.replace(/#.*$/, "");
}
