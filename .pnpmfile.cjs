/** Removes the condition `@doorcode/source`, at any depth: it leads to the sources, which are not published. */
function withoutSources(target) {
  if (typeof target !== "object" || target === null) return target;
  const kept = Object.entries(target).filter(([condition]) => condition !== "@doorcode/source");
  return Object.fromEntries(kept.map(([condition, inner]) => [condition, withoutSources(inner)]));
}

/** Writes the package.json of a package that is packed or published. */
function beforePacking(manifest) {
  return manifest.exports === undefined ? manifest : { ...manifest, exports: withoutSources(manifest.exports) };
}

module.exports = { hooks: { beforePacking } };
