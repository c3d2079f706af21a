import { sandboxVariables } from "../settings-files.ts";

/**
 * The packages that Jest must compile, because they are ES modules only: those of Doorcode, and those that they import.
 *
 * It is a recipe for Jest and no second build of the packages: Node and all other runners can `require` an ES module, and a CommonJS
 * build would have to keep old major versions of cookie and iron-session, or copies of them.
 */
export const esmPackages: readonly string[] = [
  "@doorcode",
  "cookie",
  "iron-session",
  "iron-webcrypto",
  "tinyqueue",
  "uint8array-extras",
];

const names = `(?:${esmPackages.join("|")})/`;

/** Matches the files to compile. */
export const compiledPattern: string = `/node_modules/${names}.+\\.m?js$`;

/** The alternative for the lookahead of an ignored `node_modules`. pnpm has a second `node_modules` in the path. */
export const compiledAlternative: string = `(?:.+/node_modules/)?${names}`;

/** The default of Jest, without the files to compile. */
export const ignoredPatterns: readonly string[] = [`/node_modules/(?!${compiledAlternative})`, "\\.pnp\\.[^\\/]+$"];

/** The default of Jest, as a member of `transform`: it is gone as soon as an app names any. */
export const defaultTransform = '"\\\\.[jt]sx?$": "babel-jest"';

/** The file in the app that compiles them. */
export const transformerPath = "jest.doorcode.cjs";

/** A file, because Jest 28 applies only one set of options for babel-jest, and the app may have its own. */
export const transformerText = `// Compiles the ES modules of Doorcode for Jest, because its require() loads only CommonJS.
const { createTransformer } = require("babel-jest").default;

const importMeta = ({ template }) => ({
  visitor: {
    MetaProperty(path) {
      if (path.node.meta.name !== "import") return;
      path.replaceWith(template.expression.ast\`({ url: require("node:url").pathToFileURL(__filename).href })\`);
    },
  },
});

module.exports = createTransformer({
  babelrc: false,
  configFile: false,
  sourceType: "unambiguous",
  plugins: [
    require.resolve("@babel/plugin-transform-modules-commonjs"),
    require.resolve("@babel/plugin-transform-dynamic-import"),
    importMeta,
  ],
});
`;

/** The file in the app that gives its tests the variables of the kit. */
export const variablesPath = "jest.doorcode-env.cjs";

/** Tests often load no `.env`, and a machine that only tests has none. The kit would refuse to start there. */
export const variablesText: string = `// The credentials of the sandbox, for tests without others. They are valid only with a sandbox on the same machine.
const variables = ${JSON.stringify(sandboxVariables, undefined, 2)
  .replace(/"(\w+)":/g, "$1:")
  .replace(/\n}/, ",\n}")};

for (const [name, value] of Object.entries(variables)) process.env[name] ??= value;
`;
