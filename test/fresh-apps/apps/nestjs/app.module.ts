import { requireLogin, sessionOf } from "@doorcode/express";
import { Controller, Get, type MiddlewareConsumer, Module, type NestModule, Req } from "@nestjs/common";
import type { Request } from "express";
import { doorcode, statuses } from "./doorcode.js";

@Controller()
class AccountController {
  @Get("account")
  account(@Req() req: Request) {
    return { id: sessionOf(req).userId, statuses };
  }
}

@Module({ controllers: [AccountController] })
export class AppModule implements NestModule {
  configure(consumer: MiddlewareConsumer) {
    consumer.apply(requireLogin(doorcode)).forRoutes("account");
  }
}
