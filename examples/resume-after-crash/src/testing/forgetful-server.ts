import process from "node:process";

// The real server with one flaw: it keeps only the two newest checkpoints.
process.env["WORKRAIL_MAX_CHECKPOINTS"] = "2";

const server = new URL("../../../../apps/mcp-server/src/main.ts", import.meta.url);
await import(server.href);
