import process from "node:process";

// The real server with one flaw: of a word that was saved it gives back another one.
const write = process.stdout.write.bind(process.stdout);
process.stdout.write = (chunk: string, ...rest: []) => write(chunk.replaceAll("ultramarine", "aquamarine"), ...rest);

const server = new URL("../../../../apps/mcp-server/src/main.ts", import.meta.url);
await import(server.href);
