import { readFileSync } from "node:fs";
import { dirname, relative, resolve } from "node:path";

/** The folder of the repository on this machine. */
export const root = resolve(import.meta.dirname, "../..");

const { repository } = JSON.parse(readFileSync(resolve(root, "package.json"), "utf8"));

/** The repository's page. Its address stands in the package.json of the root alone. */
export const repositoryPage: string = repository.url.replace(/^git\+|\.git$/g, "");

/** How the page of a file, a picture or a folder goes on after the repository's. */
const toPath = /^\/(?:blob|raw|tree)\/main\//;

/** Finds the file or folder that a link of a document leads to, on this machine; `undefined` for another site. */
export function targetOf(document: string, link: string): string | undefined {
  const path = link.replace(/#.*/, "");
  if (path.startsWith(repositoryPage)) return resolve(root, path.slice(repositoryPage.length).replace(toPath, ""));
  if (/^(https?|mailto):/.test(path)) return undefined;
  return path === "" ? resolve(root, document) : resolve(root, dirname(document), path);
}

/**
 * Rewrites a document that a package carries for the pages of registries, which find nothing beside it. In a README each link is
 * absolute; the other documents stay together in the package, so only links that leave the package are.
 */
export function withPublishedLinks(document: string, text: string): string {
  const home = resolve(root, ...document.split("/").slice(0, 2));
  const published = (link: string) => {
    const target = targetOf(document, link);
    if (target === undefined || link.startsWith("#")) return link;
    if (!document.endsWith("/README.md") && target.startsWith(`${home}/`)) return link;
    return pageOf(target) + link.replace(/^[^#]*/, "");
  };
  return text.replace(/(?<=\]\()[^)\s]+/g, published).replace(/(?<=\b(?:src|srcset)=")\.[^"]+/g, published);
}

function pageOf(target: string): string {
  const kind = /\.png$/.test(target) ? "raw" : /\.\w+$/.test(target) ? "blob" : "tree";
  return `${repositoryPage}/${kind}/main/${relative(root, target)}`;
}
