/** Name of the tool that carries the calls of the page in the host of an agent. Models do not see it. */
export const PAGE_TOOL = "workrail_timeline";
/** Address of the page as a resource. */
export const PAGE_RESOURCE = "ui://workrail/timeline.html";
/** Kind of that resource, by the extension for apps of MCP. */
export const PAGE_MIME_TYPE = "text/html;profile=mcp-app";
