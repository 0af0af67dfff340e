import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, delimiter, join } from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { BUNDLE_VERSION, bundleServer } from "./testing/bundle.ts";

const INITIALIZE = `${JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } },
})}\n`;

const DISCOVER = `${JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "server/discover",
  params: { _meta: { "io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {} } },
})}\n`;

const oldNode = findNodeOlderThan(22);
/** Program that runs another one in a terminal. The one of Linux takes the command as an option. */
const hasTerminal = process.platform === "linux" && existsSync("/usr/bin/script");

describe("the bundled program", () => {
  let dist: string;

  beforeAll(async () => {
    dist = await bundleServer();
  });

  interface Running {
    readonly node?: string;
    readonly input?: string;
    readonly env?: NodeJS.ProcessEnv;
  }

  function run(
    args: readonly string[],
    { node = process.execPath, input = "", env: given }: Running = {},
  ): { status: number | null; stdout: string; stderr: string } {
    const env = { ...process.env, npm_lifecycle_event: undefined, npm_command: undefined, ...given };
    const { status, stdout, stderr } = spawnSync(node, [join(dist, "workrail-mcp.mjs"), ...args], { input, encoding: "utf8", env });
    return { status, stdout, stderr };
  }

  it("has everything that a running server may need in few files, apart from the command line and the unused validator", () => {
    const files = readdirSync(dist).filter((name) => !/^(?:cli|hook|run-light|statusline|take-in)\b/u.test(name));
    expect(files.length).toBeLessThanOrEqual(18);
    const parts = ["base", "http", "opentelemetry", "postgres", "rest", "sdk-v1-server", "sdk-v2-server", "server", "store"].map(
      (name) => `${name}.cjs`,
    );
    expect(files).toEqual(expect.arrayContaining([...parts, "THIRD_PARTY_LICENSES.txt", "o200k.bin", "prebuilds", "sqlite"]));
    for (const name of parts) expect(readFileSync(join(dist, name), "utf8")).not.toMatch(/["'`]\.\/cli/u);
    for (const name of readdirSync(dist).filter((name) => /\.[cm]js$/u.test(name)))
      expect(readFileSync(join(dist, name), "utf8").includes("strictTuples")).toBe(false);
  });

  it.each([
    ["initialize", INITIALIZE, "v1"],
    ["server/discover", DISCOVER, "v2"],
  ])("loads only the MCP library that answers %s", (_, message, version) => {
    const loaded = join(mkdtempSync(join(tmpdir(), "workrail-mcp-")), "loaded");
    const spy = `import fs from "node:fs"; const { readFileSync } = fs; fs.readFileSync = (file, ...how) => { fs.appendFileSync(${JSON.stringify(loaded)}, file + "\\n"); return readFileSync(file, ...how); };`;
    const { status, stdout } = run([], {
      input: message,
      env: { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(spy)}` },
    });
    expect({ status, answers: stdout.split("\n").length - 1 }).toEqual({ status: 0, answers: 1 });
    const files = readFileSync(loaded, "utf8")
      .split("\n")
      .filter((url) => url.startsWith(pathToFileURL(dist).href) && url.endsWith(".cjs"));
    const beginning = ["server.cjs", "base.cjs", "rolldown-runtime.cjs"];
    expect(files.map((url) => basename(url)).toSorted()).toEqual([...beginning, `sdk-${version}-server.cjs`].toSorted());
  });

  it("serves MCP on stdin and stdout", () => {
    const { status, stdout, stderr } = run([], { input: INITIALIZE });
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(JSON.parse(stdout)).toMatchObject({ id: 1, result: { serverInfo: { name: "workrail", version: BUNDLE_VERSION } } });
  });

  it.each([[["--json", "list"]], [["list", "--json"]]])("runs the command of %j after settings", (args) => {
    const dataDir = mkdtempSync(join(tmpdir(), "workrail-mcp-"));
    try {
      run(["save", "--session", "s", "--id", "c1"], { input: '{"step":1}', env: { WORKRAIL_DATA_DIR: dataDir } });
      for (const before of [["--data-dir", dataDir], [`--data-dir=${dataDir}`]]) {
        const { status, stdout } = run([...before, ...args], { input: INITIALIZE });
        expect(status).toBe(0);
        expect(JSON.parse(stdout)).toMatchObject({ checkpoints: [{ id: "c1" }] });
      }
    } finally {
      rmSync(dataDir, { recursive: true, force: true });
    }
  });

  it.skipIf(!hasTerminal)("explains on a terminal what it is, and still serves (skipped where `script` of util-linux is missing)", () => {
    const command = `${process.execPath} ${join(dist, "workrail-mcp.mjs")}`;
    const { stdout } = spawnSync("script", ["-qec", command, "--echo", "never", "/dev/null"], { input: INITIALIZE, encoding: "utf8" });
    const [first = "", ...rest] = stdout.replaceAll("\r", "").split("\n");
    expect(first).toMatch(/^workrail-mcp is an MCP server, .*claude mcp add workrail -- npx -y @workrail\/mcp-server/u);
    expect(rest.join("\n")).toContain('"serverInfo"');
  });

  it("prints its version, and help", () => {
    expect(run(["--version"])).toEqual({ status: 0, stdout: `${BUNDLE_VERSION}\n`, stderr: "" });
    expect(run(["--help"]).stdout).toMatch(/^Usage: workrail-mcp/u);
  });

  it("is the command line as well when it gets a command", () => {
    const dataDir = mkdtempSync(join(tmpdir(), "workrail-mcp-"));
    const environment = { WORKRAIL_DATA_DIR: dataDir };
    try {
      for (const step of [1, 2, 3]) run(["save", "--session", "s", "--id", `c${step}`], { input: `{"step":${step}}`, env: environment });
      const old = run(["cleanup", "--older-than", "7d", "--yes", "--json"], { env: environment });
      expect(JSON.parse(old.stdout)).toMatchObject({ removed: [] });
      const kept = run(["cleanup", "--keep-last", "2", "--yes", "--json"], { env: environment });
      expect(JSON.parse(kept.stdout)).toMatchObject({ removed: [{ checkpointIds: ["c1"], to: "trash" }] });
      expect(run(["load", "c1"], { env: environment }).stderr).toContain("`workrail-mcp trash restore s c1`");
      const byNpx = { ...environment, npm_lifecycle_event: "npx" };
      expect(run(["load", "c1"], { env: byNpx }).stderr).toContain("`npx -y @workrail/mcp-server trash restore s c1`");
      expect(run(["load", "--help"], { env: byNpx }).stdout).toMatch(
        /^Usage: npx -y @workrail\/mcp-server load .*\n {2}npx -y @workrail\/mcp-server load/su,
      );
    } finally {
      rmSync(dataDir, { recursive: true, force: true });
    }
    expect(run(["cleanup", "--help"]).stdout).toMatch(/^Usage: workrail-mcp cleanup .*\n {2}workrail-mcp cleanup --dry-run\n/su);
    expect(run(["clenup"])).toEqual({
      status: 2,
      stdout: "",
      stderr: "INVALID_INPUT: unknown command 'clenup' (Did you mean cleanup?)\n  See: workrail-mcp --help\n",
    });
    expect(run(["help"]).stdout).toMatch(/^Usage: workrail-mcp .*cleanup \[options\]/su);
  });

  it.skipIf(oldNode === undefined)("reports in one line that Node is too old (skipped when there is no Node older than 22)", () => {
    const { status, stdout, stderr } = run([], { node: oldNode ?? "" });
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
