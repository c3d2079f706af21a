import type { Manifest } from "./manifest.ts";
import { importsOf, type SourceFile } from "./source-file.ts";

/** An app, and the file that init writes into it for the kit. */
export interface AppContext {
  /** The folder of the app. */
  readonly folder: string;
  readonly manifest: Manifest;
  /** All sources. */
  readonly sources: readonly SourceFile[];
  /** Whether the kit's file has types. */
  readonly hasTypes: boolean;
  /** Returns the specifier with which the kit's file imports another file of the app. */
  readonly specifierOf: (path: string) => string;
}

/** Tells whether any source imports one of these modules. */
export function importsModule({ sources }: Pick<AppContext, "sources">, ...modules: readonly string[]): boolean {
  return sources.some((file) => importsOf(file).some((name) => modules.includes(name)));
}
