import { createMCPClient } from "@ai-sdk/mcp";
import { Experimental_StdioMCPTransport as StdioTransport } from "@ai-sdk/mcp/mcp-stdio";
import { calledFrom, type ClientProgram, type ProtocolResult } from "../client-program.ts";

/** The client of Vercel's AI SDK, whose tools a program hands to a model. */
export const aiSdk: ClientProgram = {
  name: "AI SDK",
  packageName: "@ai-sdk/mcp",
  async connect(server) {
    const transport =
      server.way === "HTTP"
        ? { type: "http" as const, url: server.url.href }
        : new StdioTransport({ command: server.command, args: [...server.args], env: { ...server.env } });
    const client = await createMCPClient({ transport });
    const tools = await client.tools();
    return {
      tools: async () => Object.keys(tools),
      call: async (tool, given) => {
        const result: unknown = await tools[tool]?.execute(given, { toolCallId: "1", messages: [], context: {} });
        return calledFrom(result as ProtocolResult);
      },
      close: () => client.close(),
    };
  },
};
