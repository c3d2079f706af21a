import { SandboxError } from "../primitives/errors.ts";

/** The SDK is an optional peer: with its 90 packages it would be most of what the sandbox installs. */
const sdk = "@modelcontextprotocol/sdk";

/**
 * Loads the MCP server, and the SDK with it.
 *
 * @throws SandboxError `mcp_sdk_missing`
 */
export async function loadMcpServer(): Promise<typeof import("./mcp-server.ts")> {
  try {
    return await import("./mcp-server.ts");
  } catch (cause) {
    if (!(cause instanceof Error && cause.message.includes(sdk))) throw cause;
    throw new SandboxError("mcp_sdk_missing", `The MCP tools need a package: npm install --save-dev ${sdk}`, { cause });
  }
}
