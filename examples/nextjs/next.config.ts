import { join } from "node:path";
import type { NextConfig } from "next";

const config: NextConfig = {
  // Only in this repository, where the packages of Doorcode are linked from a folder above the app.
  turbopack: { root: join(import.meta.dirname, "../..") },
};

export default config;
