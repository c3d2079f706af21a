import type { SourceFile } from "./source-file.ts";

/** Returns a function that writes code as the app does: its quotes, and whether it has semicolons. */
export function styleOf({ text }: Pick<SourceFile, "text">): (code: string) => string {
  const [single, double] = ["'", '"'].map((quote) => text.split(new RegExp(`(?:from|require\\() ?${quote}`)).length);
  const hasSingle = (single ?? 0) > (double ?? 0);
  const hasSemicolons = /;\s*$/m.test(text);
  return (code) => {
    const quoted = hasSingle ? code.replaceAll('"', "'") : code;
    return hasSemicolons ? quoted : quoted.replace(/;(?=$| \/\/)/gm, "");
  };
}
