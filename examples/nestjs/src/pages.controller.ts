import { phoneLoginScript, phoneLoginStyle, renderPhoneLogin } from "@doorcode/browser/server";
import { sessionOf } from "@doorcode/express";
import { Controller, Get, Header, Req, Res } from "@nestjs/common";
import type { Request, Response } from "express";
import { login } from "./doorcode.ts";

@Controller()
export class PagesController {
  @Get("login")
  async login(@Req() req: Request, @Res() res: Response): Promise<void> {
    const state = await login.state(req);
    if (state.status === "logged_in") return res.redirect("/account");
    const form = { state, offer: login.offer, basePath: "/login", query: req.query, done: "/account" };
    res.set("cache-control", "no-store").send(page("Log in", renderPhoneLogin(form)));
  }

  @Get("account")
  @Header("cache-control", "no-store")
  account(@Req() req: Request): string {
    const logout = '<form method="post" action="/login/logout"><button>Log out</button></form>';
    return page("Your account", `<p>You are logged in as ${sessionOf(req).userId}.</p>${logout}`);
  }

  @Get("phone-login.js")
  @Header("content-type", "text/javascript")
  script(): string {
    return phoneLoginScript;
  }

  @Get("phone-login.css")
  @Header("content-type", "text/css")
  style(): string {
    return phoneLoginStyle;
  }
}

function page(title: string, content: string): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="stylesheet" href="/phone-login.css">
<script type="module" src="/phone-login.js"></script>
<main><h1>${title}</h1>${content}</main>
</html>`;
}
