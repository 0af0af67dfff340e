import process from "node:process";

// The real server with one flaw: it returns another word in place of one saved word.
const write = process.stdout.write.bind(process.stdout);
process.stdout.write = (chunk: string | Uint8Array, ...rest: []) =>
  write(Buffer.from(chunk).toString().replaceAll("ultramarine", "aquamarine"), ...rest);

const server = new URL("../../../../apps/mcp-server/src/main.ts", import.meta.url);
await import(server.href);
