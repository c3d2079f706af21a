import type { Context } from "hono";
import type { SandboxApplication } from "../../controls/application.ts";

/** Finds the application that a request is about. @throws SandboxError `application_unknown` */
export type Find = (c: Context) => SandboxApplication;
