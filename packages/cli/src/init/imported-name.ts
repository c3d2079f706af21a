/** A name that a written file imports. */
export interface ImportedName {
  /** The package, or the specifier of a file of the app. */
  readonly from: string;
  /** The name in the module; `default` for the module itself. */
  readonly name: string;
  /** The name in the written file. Default: `name`. */
  readonly local?: string;
  /** Whether it is a type, which JavaScript does not import. */
  readonly isType?: boolean;
}

/** How a file is written. */
export interface FileStyle {
  /** Whether the file has types. */
  readonly hasTypes: boolean;
  /** Whether the file has `import`, and not `require`. */
  readonly isModule: boolean;
}

/** Writes the lines that import names: modules of Node first, then packages, then files of the app. */
export function importLines(names: readonly ImportedName[], { hasTypes, isModule }: FileStyle): readonly string[] {
  const used = names.filter(({ isType }) => hasTypes || !isType);
  const modules = [...new Set(used.map(({ from }) => from))].sort((a, b) => rankOf(a) - rankOf(b));
  return modules.flatMap((from) => {
    const ofModule = used.filter((each) => each.from === from);
    const whole = ofModule.filter(({ name }) => name === "default").map(({ local }) => local ?? "");
    const parts = ofModule.filter(({ name }) => name !== "default");
    const onlyTypes = ofModule.every(({ isType }) => isType);
    const named = [...new Set(parts.map((each) => namedImport(each, isModule, onlyTypes)))].sort().join(", ");
    const bindings = [...new Set(whole), ...(named ? [`{ ${named} }`] : [])];
    const keyword = onlyTypes ? "import type" : "import";
    return isModule
      ? bindings.map((each) => `${keyword} ${each} from "${from}";`)
      : bindings.map((each) => `const ${each} = require("${from}");`);
  });
}

function rankOf(module: string): number {
  return module.startsWith("node:") ? 0 : module.startsWith(".") ? 2 : 1;
}

function namedImport({ name, local = name, isType }: ImportedName, isModule: boolean, onlyTypes: boolean): string {
  const both = local === name ? name : `${name}${isModule ? " as" : ":"} ${local}`;
  return isType && !onlyTypes ? `type ${both}` : both;
}
