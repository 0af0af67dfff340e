import { type CLIENTS, type ClientName, connectHttp, connectStdio } from "../../../../apps/mcp-server/src/testing/any-client.ts";
import { calledFrom, type ClientProgram } from "../client-program.ts";

const CLIENT_NAMES: Readonly<Record<keyof typeof CLIENTS, string>> = {
  "v1 client": "MCP SDK 1",
  "v2 client of the old protocol": "MCP SDK 2, up to 2025-11-25",
  "v2 client that asks": "MCP SDK 2, that asks for the protocol",
  "v2 client of 2026-07-28": "MCP SDK 2, 2026-07-28 only",
};

/** Clients of the protocol's own library, in both versions. */
export const sdkClients: readonly ClientProgram[] = (Object.entries(CLIENT_NAMES) as [ClientName, string][]).map(([key, name]) => ({
  name,
  packageName: key === "v1 client" ? "@modelcontextprotocol/sdk" : "@modelcontextprotocol/client",
  async connect(server) {
    const client = server.way === "HTTP" ? await connectHttp(key, server.url) : await connectStdio(key, server, server.env);
    return {
      tools: async () => (await client.listTools()).map((tool) => tool.name),
      call: async (tool, given) => calledFrom(await client.callTool(tool, given)),
      close: () => client.close(),
    };
  },
}));
