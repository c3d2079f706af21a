import { join } from "node:path";
import type { NextConfig } from "next";

const config: NextConfig = {
  // Only in this repository: the packages of Doorcode are linked from a folder above the app, and a cache for later builds costs
  // its tests more than it saves.
  turbopack: { root: join(import.meta.dirname, "../..") },
  experimental: { turbopackFileSystemCacheForBuild: false },
};

export default config;
