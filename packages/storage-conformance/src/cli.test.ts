import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const CLI = fileURLToPath(new URL("./cli.ts", import.meta.url));
const EXAMPLE = fileURLToPath(new URL("../../../examples/custom-storage-adapter/src/conformance-harness.ts", import.meta.url));

describe("workrail-storage-conformance", () => {
  it("runs the kit against a module's harness", async () => {
    const { code, output } = await run([EXAMPLE, "-t", "gives back", "--reporter", "verbose"]);
    expect(output).toContain("folder storage: blob store");
    expect(code).toBe(0);
  });

  it.each([
    ["no module", [], "Name one module"],
    ["a module that is not there", ["no-such-harness.ts"], "There is no file no-such-harness.ts"],
    ["a number that is none", [EXAMPLE, "--runs", "many"], "--runs must be a whole number"],
    ["an option that it does not know", [EXAMPLE, "--fast"], "--fast"],
  ])("explains itself when it is given %s", async (_, args, message) => {
    const { code, output } = await run(args);
    expect(output).toContain(message);
    expect(output).toContain("Usage: workrail-storage-conformance");
    expect(code).toBe(2);
  });

  it("fails when a module exports no harness, and reports that", async () => {
    const { code, output } = await run([fileURLToPath(new URL("./bytes.ts", import.meta.url))]);
    expect(output).toContain("bytes.ts exports no StorageHarness as `harness`.");
    expect(code).toBe(1);
  });
});

/** Standard output and standard error together. */
function run(args: readonly string[]): Promise<{ code: number | null; output: string }> {
  const child = spawn(process.execPath, ["--conditions=@workrail/source", CLI, ...args], { stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text: string) => (output += text));
  return new Promise((resolve, reject) => child.once("error", reject).once("close", (code) => resolve({ code, output })));
}
