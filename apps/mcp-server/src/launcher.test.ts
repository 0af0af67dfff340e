import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import process from "node:process";
import { beforeAll, describe, expect, it } from "vitest";
import { BUNDLE_VERSION, bundleServer } from "./testing/bundle.ts";

const INITIALIZE = `${JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } },
})}\n`;

const oldNode = findNodeOlderThan(22);

describe("the bundled program", () => {
  let dist: string;

  beforeAll(async () => {
    dist = await bundleServer();
  });

  function run(node: string, args: readonly string[], input = ""): { status: number | null; stdout: string; stderr: string } {
    const { status, stdout, stderr } = spawnSync(node, [join(dist, "workrail-mcp.mjs"), ...args], { input, encoding: "utf8" });
    return { status, stdout, stderr };
  }

  it("is one file and a launcher, without the validator that is never used", () => {
    expect(readdirSync(dist).sort()).toEqual(["server.mjs", "workrail-mcp.mjs"]);
    expect(readFileSync(join(dist, "server.mjs"), "utf8").includes("strictTuples")).toBe(false);
  });

  it("serves MCP on stdin and stdout", () => {
    const { status, stdout, stderr } = run(process.execPath, [], INITIALIZE);
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(JSON.parse(stdout)).toMatchObject({ id: 1, result: { serverInfo: { name: "workrail", version: BUNDLE_VERSION } } });
  });

  it("prints its version, and help", () => {
    expect(run(process.execPath, ["--version"])).toEqual({ status: 0, stdout: `${BUNDLE_VERSION}\n`, stderr: "" });
    expect(run(process.execPath, ["--help"]).stdout).toMatch(/^Usage: workrail-mcp/u);
  });

  it.skipIf(oldNode === undefined)("says in one line that Node is too old (skipped when there is no Node older than 22)", () => {
    const { status, stdout, stderr } = run(oldNode ?? "", []);
    expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
    expect(stderr).toMatch(/^workrail-mcp needs Node 22 or newer; this is Node \d+\.\d+\.\d+\.\n$/u);
  });
});

function findNodeOlderThan(major: number): string | undefined {
  const name = process.platform === "win32" ? "node.exe" : "node";
  const places = (process.env["PATH"] ?? "").split(delimiter).map((place) => join(place, name));
  return places.find((file) => {
    if (!existsSync(file)) {
      return false;
    }
    const version = execFileSync(file, ["--version"], { encoding: "utf8" });
    return Number.parseInt(version.slice(1), 10) < major;
  });
}
