/** A node of a syntax tree, as far as it is looked at here. */
interface NodePath {
  readonly node: {
    readonly type: string;
    readonly value?: unknown;
    readonly quasis?: readonly { readonly value: { readonly raw: string } }[];
  };
}

/** Several words after each other: a text for people. Names, keys and codes have no spaces. */
const words = /\w+ \w+ \w+/;

/** Leaves the texts of messages out: tests look at the code of an error, so that a text can be improved. */
const texts = {
  shouldIgnore({ node }: NodePath): string | undefined {
    const text = node.type === "TemplateLiteral" ? node.quasis?.map(({ value }) => value.raw).join("…") : node.value;
    return typeof text === "string" && words.test(text) ? "the text of a message" : undefined;
  },
};

export const strykerPlugins: readonly unknown[] = [{ kind: "Ignore", name: "texts", value: texts }];
