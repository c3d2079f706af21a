import type { CallExpression } from "acorn";
import type { AppDeclaration } from "./app-declaration.ts";
import type { Exported } from "./exports.ts";
import type { Host, Manifest } from "./manifest.ts";
import type { SourceFile } from "./source-file.ts";

/** An app, and the file that init writes into it for the kit. */
export interface AppContext {
  /** The folder of the app. */
  readonly folder: string;
  readonly manifest: Manifest;
  readonly host: Host;
  /** The files that the app begins with, and all that these import. */
  readonly reached: readonly SourceFile[];
  /** All sources. */
  readonly sources: readonly SourceFile[];
  /** The modules that they import. */
  readonly modules: ReadonlySet<string>;
  /** All that they export. */
  readonly exported: readonly Exported[];
  /** All calls in them. */
  readonly calls: readonly CallExpression[];
  /** The places where an app comes into being. With several ones, only the developer knows which one is meant. */
  readonly declarations: readonly AppDeclaration[];
  /** The file whose style the kit's file has. */
  readonly styled: SourceFile | undefined;
  /** The path of the kit's file. */
  readonly kitPath: string;
  /** Whether the kit's file has types. */
  readonly hasTypes: boolean;
  /** Returns code that only TypeScript has: nothing if the kit's file has no types. */
  readonly typed: (code: string) => string;
  /** Returns the specifier with which the kit's file imports another file of the app. */
  readonly specifierOf: (path: string) => string;
}

/** Returns the only place where the app comes into being. */
export function onlyDeclaration({ declarations: [first, ...more] }: AppContext): AppDeclaration | undefined {
  return more.length === 0 ? first : undefined;
}

/** Tells whether any source imports one of these modules. */
export function importsModule({ modules }: AppContext, ...names: readonly string[]): boolean {
  return names.some((name) => modules.has(name));
}
