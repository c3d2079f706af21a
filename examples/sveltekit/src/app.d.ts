import type { Session } from "@doorcode/core";

declare global {
  namespace App {
    interface Locals {
      session: Session | undefined;
    }
  }
}
