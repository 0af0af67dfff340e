// A server built with the protocol's own library, with one tool that does nothing, run as installed.
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";

const server = new McpServer({ name: "empty", version: "1.0.0" });
server.registerTool("nothing", { description: "Does nothing" }, () => ({ content: [] }));
await server.connect(new StdioServerTransport());
