/** Name of the extension of MCP for pages in a host. */
const EXTENSION = "io.modelcontextprotocol/ui";

interface Capabilities {
  readonly extensions?: Readonly<Record<string, unknown>> | undefined;
}

/** Tells by its capabilities whether a client shows pages to the person. */
export function showsPages(capabilities: Capabilities | undefined): boolean {
  return capabilities?.extensions?.[EXTENSION] !== undefined;
}
