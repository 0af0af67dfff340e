import { fileURLToPath } from "node:url";

/** Programs to start, each as its users start it. */
export const SERVER: string = built("../../../../apps/mcp-server/dist/workrail-mcp.mjs");
export const CLI: string = built("../../../../apps/cli/dist/workrail.mjs");
export const ECHO_SERVER: string = built("../servers/echo-server.mjs");
export const NOTHING: string = built("../servers/nothing.mjs");
export const IMPORT_LIBRARY: string = built("../servers/import-library.mjs");
export const EMPTY_SERVER: string = built("../servers/empty-server.mjs");

function built(path: string): string {
  return fileURLToPath(new URL(path, import.meta.url));
}
