import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { describe, expect, it } from "vitest";

const MODULE = new URL("read-input.ts", import.meta.url).href;

/** A program that begins to read, is stopped for longer than it waits for input, and then prints its input. */
function stalled(before: string): readonly string[] {
  const script = `
    import fs from "node:fs";
    import { readInput } from ${JSON.stringify(MODULE)};
    const input = readInput();
    ${before}
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 600);
    process.stdout.write(await input);
  `;
  return ["--conditions=@workrail/source", "--input-type=module-typescript", "--eval", script];
}

function printed(command: string, args: readonly string[], input?: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: [input === undefined ? "ignore" : "pipe", "pipe", "inherit"] });
    let text = "";
    child.stdout?.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
    child.once("error", reject);
    child.once("close", () => resolve(text));
    child.stdin?.end(input);
  });
}

describe("reading what a host sends to a hook, on a machine that stalls", () => {
  it("reads a socket, as Node gives to its children", async () => {
    expect(await printed(process.execPath, stalled(""), "the host's text")).toBe("the host's text");
  });

  it.skipIf(process.platform === "win32")("reads a pipe", async () => {
    const folder = mkdtempSync(join(tmpdir(), "workrail-input-"));
    try {
      const pipe = join(folder, "pipe");
      execFileSync("mkfifo", [pipe]);
      // Opened for both, so that it stays open without a writer. The text comes after the first attempt to read.
      const [node, ...args] = [process.execPath, ...stalled(`fs.writeFileSync(${JSON.stringify(pipe)}, "the host's text");`)];
      const text = await printed("sh", ["-c", 'exec 0<>"$0"; exec "$@"', pipe, node, ...args]);
      expect(text).toBe("the host's text");
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
