import type { NextConfig } from "next";

const config: NextConfig = { serverExternalPackages: ["@electric-sql/pglite"] };

export default config;
