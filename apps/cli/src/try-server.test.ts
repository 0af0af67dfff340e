import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type TriedServer, tryServer } from "./try-server.ts";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "workrail-try-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));

/** Starts a server that runs this code for each line it receives. */
function trying(code: string, timeoutMs = 10_000): Promise<TriedServer> {
  const script = path.join(folder, "workrail-mcp.mjs");
  writeFileSync(script, code);
  return tryServer({ command: process.execPath, args: [script] }, { timeoutMs, env: process.env, cwd: folder });
}

const ANSWERING = `process.stdin.on("data", (line) => {
  const { id, method } = JSON.parse(line);
  if (method === "initialize") console.log("a line\\n" + JSON.stringify({ jsonrpc: "2.0", id, result: { serverInfo: { name: "w", version: "1.2" } } }));
});`;

describe("tryServer", () => {
  it("returns name and version of a server that answers, and ends it", async () => {
    expect(await trying(ANSWERING)).toEqual({ name: "w", version: "1.2", ms: expect.any(Number) });
  });

  it("ends a server that does not exit", async () => {
    expect(await trying(`${ANSWERING} setInterval(() => {}, 1000);`)).toMatchObject({ name: "w" });
  });

  it("reports how a server ended, with its last output", async () => {
    expect(await trying('console.error("at once\\nno disk"); process.exitCode = 3;')).toEqual({ failure: "it ended with 3: no disk" });
  });

  it("stops waiting after its timeout", async () => {
    expect(await trying("setInterval(() => {}, 1000);", 100)).toEqual({ failure: "it did not answer within 0.1 seconds" });
  });

  it("reports a program that cannot start", async () => {
    const options = { timeoutMs: 5_000, env: process.env, cwd: folder };
    expect(await tryServer({ command: path.join(folder, "none"), args: [] }, options)).toEqual({
      failure: "it cannot be started: ENOENT",
    });
    expect(await tryServer({ command: process.execPath, args: ["a\0b"] }, options)).toEqual({
      failure: "it cannot be started: ERR_INVALID_ARG_VALUE",
    });
  });
});
