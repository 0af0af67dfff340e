import type { ClientCapabilities } from "../question.ts";

/** Name of the extension of MCP for pages in a host. */
const EXTENSION = "io.modelcontextprotocol/ui";

/** Tells by its capabilities whether a client shows pages to the person. */
export function showsPages(capabilities: ClientCapabilities | undefined): boolean {
  return capabilities?.extensions?.[EXTENSION] !== undefined;
}
