import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import process from "node:process";
import { createInterface } from "node:readline";
import { fileURLToPath, pathToFileURL } from "node:url";

/** Functions of one source file that ran. */
interface Ran {
  readonly url: string;
  /** Names. */
  readonly functions: readonly string[];
}

const ROOT = new URL("../../../", import.meta.url);
/** Saves before the measured one, so that nothing of the first call is counted. */
const WARM_UP = 5;

// Counts the project's files and functions that one save over MCP executes, as V8 reports them. Run with `node --conditions=@workrail/source`.
// `--files` lists the files, `--functions` their functions too.
const directory = fs.mkdtempSync(path.join(os.tmpdir(), "workrail-coverage-"));
const preload = pathToFileURL(fileURLToPath(new URL("coverage-on-message.ts", import.meta.url))).href;
const server = spawn(
  process.execPath,
  ["--conditions=@workrail/source", "--import", preload, fileURLToPath(new URL("apps/mcp-server/src/main.ts", ROOT))],
  { stdio: ["pipe", "pipe", "inherit", "ipc"], env: { ...process.env, WORKRAIL_DATA_DIR: directory } },
);
const { stdin, stdout } = server;
if (stdin === null || stdout === null) throw new Error("The server has no pipes.");
const answers = createInterface({ input: stdout })[Symbol.asyncIterator]();
let lastId = 0;

await call("initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "coverage", version: "1.0.0" } });
stdin.write(`${JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" })}\n`);
for (let step = 0; step < WARM_UP; step += 1) await save(step);
await ranSoFar();
await save(WARM_UP);
const ran = (await ranSoFar()).filter(({ url }) => /\/(?:packages|apps)\/[^/]+\/src\//u.test(url));
stdin.end();
await once(server, "exit");
fs.rmSync(directory, { recursive: true, force: true });

const byPackage = Map.groupBy(ran, ({ url }) => /\/((?:packages|apps)\/[^/]+)\//u.exec(url)?.[1] ?? url);
for (const [name, files] of [...byPackage].toSorted(([one], [other]) => (one < other ? -1 : 1))) console.log(line(name, files));
console.log(line("sum", ran));
const isListing = process.argv.includes("--functions");
for (const { url, functions } of isListing || process.argv.includes("--files") ? ran : []) {
  console.log(`${String(functions.length).padStart(4)} ${url.slice(ROOT.href.length)}${isListing ? `: ${functions.join(", ")}` : ""}`);
}

function line(name: string, files: readonly Ran[]): string {
  const functions = files.reduce((sum, file) => sum + file.functions.length, 0);
  return `${name.padEnd(28)} ${String(files.length).padStart(4)} files ${String(functions).padStart(5)} functions`;
}

async function save(step: number): Promise<void> {
  const context = { goal: "Count what a save executes", step, done: Array.from({ length: step }, (_, index) => `step ${index}`) };
  const name = "workflow_checkpoint_save";
  const { result } = await call("tools/call", { name, arguments: { sessionId: "coverage", workflowId: "coverage", context } });
  if (result?.isError !== undefined && result.isError) throw new Error(JSON.stringify(result));
}

async function call(method: string, params: object): Promise<{ readonly result?: { readonly isError?: boolean } }> {
  stdin?.write(`${JSON.stringify({ jsonrpc: "2.0", id: (lastId += 1), method, params })}\n`);
  const { value } = await answers.next();
  return JSON.parse(value as string) as { readonly result?: { readonly isError?: boolean } };
}

async function ranSoFar(): Promise<readonly Ran[]> {
  // Work after an answer, such as indexing, is not part of the call.
  server.send("now");
  const [found] = (await once(server, "message")) as [readonly Ran[]];
  return found;
}
