import type { RequestHandler } from "express";
import type { Same } from "../kit.ts";

// This project compiles with the types of Express 4: those of Express 5 return `unknown`.
export const isExpress4: Same<ReturnType<RequestHandler>, void> = true;
