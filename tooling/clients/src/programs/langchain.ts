import { MultiServerMCPClient } from "@langchain/mcp-adapters";
import type { Called, ClientProgram } from "../client-program.ts";

/** The adapters of LangChain.js, whose tools a program hands to an agent. */
export const langchain: ClientProgram = {
  name: "LangChain.js",
  packageName: "@langchain/mcp-adapters",
  async connect(server) {
    const connection =
      server.way === "HTTP"
        ? { transport: "http" as const, url: server.url.href, automaticSSEFallback: false }
        : { transport: "stdio" as const, command: server.command, args: [...server.args], env: { ...server.env } };
    const client = new MultiServerMCPClient({ mcpServers: { workrail: connection } });
    const tools = new Map((await client.getTools()).map((tool) => [tool.name, tool]));
    return {
      tools: async () => [...tools.keys()],
      call: async (tool, given): Promise<Called> => {
        try {
          const result = (await tools.get(tool)?.invoke(given)) as { structuredContent: Readonly<Record<string, unknown>> } | undefined;
          return { isError: false, value: result?.structuredContent ?? {} };
        } catch (error) {
          return { isError: true, text: (error as Error).message, form: "exception" };
        }
      },
      close: () => client.close(),
    };
  },
};
