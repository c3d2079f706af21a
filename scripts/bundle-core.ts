import { join } from "node:path";
import { bundlePackage } from "./bundle-package.ts";

/*
 * The modules of @doorcode/core. The code of libphonenumber-js and of zod is among them, without what the kit does not use.
 */
await bundlePackage({
  folder: join(import.meta.dirname, "../packages/core"),
  included: ["libphonenumber-js/max", "zod"],
});
