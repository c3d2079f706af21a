/** The value of an attribute: `true` for one without a value; `false` and `undefined` for none. */
export type AttributeValue = string | number | boolean | undefined;

/** An element of the page, described once: the server writes it as HTML, the browser makes its own nodes equal to it. */
export interface ViewElement {
  readonly tag: string;
  readonly attributes: Readonly<Record<string, AttributeValue>>;
  readonly children: readonly ViewNode[];
  /** The HTML of the app inside it, which the server writes as it is and the browser leaves alone. */
  readonly foreign?: string;
}

/** An element or a text of the page. */
export type ViewNode = ViewElement | string;

/** What may stand between other nodes: nothing, too. */
export type ViewChild = ViewNode | false | undefined | readonly ViewChild[];

/** Describes an element. Neighbouring texts become one, as a parser of HTML reads them. */
export function h(tag: string, attributes: ViewElement["attributes"], ...children: ViewChild[]): ViewElement {
  return { tag, attributes, children: joined(children) };
}

function joined(children: readonly ViewChild[]): readonly ViewNode[] {
  const nodes: ViewNode[] = [];
  for (const node of flat(children)) {
    const last = nodes.at(-1);
    if (typeof node === "string" && typeof last === "string") nodes[nodes.length - 1] = last + node;
    else if (node) nodes.push(node);
  }
  return nodes;
}

function flat(child: ViewChild): readonly (ViewNode | false | undefined)[] {
  return Array.isArray(child) ? child.flatMap(flat) : [child as ViewNode | false | undefined];
}
