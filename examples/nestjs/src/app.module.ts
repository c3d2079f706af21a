import { requireLogin } from "@doorcode/express";
import { type MiddlewareConsumer, Module, type NestModule } from "@nestjs/common";
import { doorcode } from "./doorcode.ts";
import { PagesController } from "./pages.controller.ts";

@Module({ controllers: [PagesController] })
export class AppModule implements NestModule {
  configure(consumer: MiddlewareConsumer): void {
    consumer.apply(requireLogin(doorcode, { loginPage: "/login" })).forRoutes("account");
  }
}
