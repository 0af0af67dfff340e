import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import process from "node:process";
import { snapshotOf } from "@workrail/faults";
import { openWorkrail } from "@workrail/runtime";
import { describe, expect, it } from "vitest";
import { bundleServer } from "./testing/bundle.ts";
import { ServerProcess, TestHome } from "./testing/server-process.ts";
import { IS_LONG } from "../../../packages/storage-conformance/test/long-form.ts";

const READERS = [
  "workflow_checkpoint_load",
  "workflow_checkpoint_list",
  "workflow_resume",
  "workflow_context_compress",
  "workflow_context_prioritize",
  "checkpoint_search",
  "checkpoint_list",
  "checkpoint_get",
];
const WRITERS = ["workflow_checkpoint_save", "workflow_mark_critical", "store_session", "checkpoint_save", "checkpoint_delete"];

/** Read commands with their arguments. */
const COMMANDS: readonly (readonly string[])[] = [
  ["load", "--session", "s"],
  ["show", "c1"],
  ["list"],
  ["search", "weathervane"],
  ["resume", "--session", "s"],
  ["handoff", "--session", "s"],
  ["sessions"],
  ["log", "s"],
  ["diff", "c1", "c2"],
  ["stats"],
  ["status"],
  ["verify"],
  ["doctor"],
  ["config", "list"],
  ["trash", "list"],
  ["cleanup", "--dry-run"],
  ["export", "s", "--output", "-"],
  ["prioritize", "--checkpoint", "c1"],
];

/** Commands that run in the short form; a test of the command line runs every command on a read-only store. */
const SOME = COMMANDS.filter(([name = ""]) => ["search", "status", "doctor"].includes(name));

/** Linux program that runs a command as another user. */
const AS_OTHER = "setpriv";

/** Runs a test with a closed store of two checkpoints. */
async function withStore(test: (home: TestHome) => Promise<void>): Promise<void> {
  await using home = await TestHome.create();
  await using store = await openWorkrail({ dataDir: home.dataDir, project: home.project, env: {} });
  for (const number of [1, 2]) {
    await store.saveCheckpoint({ sessionId: "s", checkpointId: `c${number}`, context: { goal: `weathervane ${number}` } });
  }
  await store.close();
  await test(home);
}

async function readAll(server: ServerProcess): Promise<void> {
  expect(await server.ok("workflow_checkpoint_load", { checkpointId: "c1" })).toMatchObject({ context: { goal: "weathervane 1" } });
  expect(await server.ok("workflow_checkpoint_list")).toMatchObject({ total: 2 });
  expect(await server.ok("workflow_resume", { sessionId: "s" })).toMatchObject({ status: "LOADED" });
  expect(await server.ok("workflow_resume", { hint: "weathervane" })).toMatchObject({ status: "CANDIDATES" });
  expect(await server.ok("checkpoint_search", { query: "weathervane" })).toMatchObject({ results: [{}, {}] });
  expect(await server.ok("checkpoint_list")).toMatchObject({ total: 2 });
  expect(await server.ok("checkpoint_get", { id: "c2" })).toMatchObject({ id: "c2" });
  expect(await server.ok("workflow_context_prioritize", { context: { goal: "g", log: "l" }, dryRun: true })).toMatchObject({ context: {} });
  expect(await server.ok("workflow_context_prioritize", { checkpointId: "c1" })).toMatchObject({ checkpointId: "c1" });
  expect(await server.ok("workflow_context_compress", { checkpointId: "c1" })).toMatchObject({ checkpointId: "c1" });
  const { contents } = await server.client.readResource({ uri: "workrail://status" });
  expect(JSON.parse((contents[0] as { text: string }).text)).toMatchObject({ readOnly: true, checkpoints: 2 });
}

interface Running {
  readonly commands?: typeof COMMANDS;
  readonly through?: readonly string[];
  readonly programs?: string;
}

/** Returns the output of each command, by its name. */
async function runAll(
  home: TestHome,
  { commands = COMMANDS, through = [], programs = process.env["PATH"] }: Running = {},
): Promise<Map<string, string>> {
  const launcher = path.join(await bundleServer(), "workrail-mcp.mjs");
  const [command, ...before] = [...through, process.execPath, launcher] as unknown as [string, ...string[]];
  const printed = new Map<string, string>();
  for (const args of commands) {
    const given = [...before, ...args, "--read-only"];
    const env = { PATH: programs, WORKRAIL_DATA_DIR: home.dataDir };
    const { status, stdout, stderr } = spawnSync(command, given, { cwd: home.project, env, encoding: "utf8" });
    expect({ args, status, stderr: status === 0 ? "" : stderr }).toEqual({ args, status: 0, stderr: "" });
    printed.set(args[0] ?? "", stdout);
  }
  return printed;
}

describe("a read-only server", () => {
  it("offers tools that change nothing, and refuses the others without reading their arguments", () =>
    withStore(async (home) => {
      await using server = await ServerProcess.start({ home, args: ["--read-only"] });
      expect((await server.client.listTools()).tools.map(({ name }) => name)).toEqual(READERS);
      for (const name of WRITERS) {
        expect(await server.fails(name, { what: "ever" })).toMatchObject({ code: "READ_ONLY", httpStatus: 403 });
      }
    }));

  it.each([
    ["WORKRAIL_READ_ONLY", { WORKRAIL_READ_ONLY: "true", npm_lifecycle_event: "npx" }, ""],
    ["config.json", {}, '{ "readOnly": true }'],
  ])("is also started by %s, and names commands as they can be called", (_name, env, config) =>
    withStore(async (home) => {
      if (config !== "") fs.writeFileSync(path.join(home.dataDir, "config.json"), config);
      await using server = await ServerProcess.start({ home, env });
      expect((await server.client.listTools()).tools.map(({ name }) => name)).toEqual(READERS);
      const command =
        config === "" ? "`npx -y @workrail/mcp-server config set readOnly false`" : "`workrail-mcp config set readOnly false`";
      expect((await server.fails("workflow_checkpoint_save", { context: {} })).text).toContain(command);
    }),
  );

  it("refuses in the form of each tool when the store became read-only after the start of the server", () =>
    withStore(async (home) => {
      await using server = await ServerProcess.start({ home });
      fs.writeFileSync(path.join(home.dataDir, "config.json"), '{ "readOnly": true }');
      expect((await server.fails("workflow_checkpoint_save", { context: { a: 1 } })).code).toBe("READ_ONLY");
      const { _meta: meta } = await server.call("checkpoint_save", { summary: "x", description: "", project_path: home.project });
      expect(meta).toMatchObject({ code: "INTERNAL_ERROR", details: { error: "READ_ONLY" } });
      const refused = await server.call("store_session", { conversation: "User: hello" });
      expect(refused._meta).toMatchObject({ code: "FILE_WRITE_ERROR", httpStatus: 500 });
      expect(await server.ok("workflow_checkpoint_list")).toMatchObject({ total: 2 });
    }));

  it("reports a missing store, and creates none", async () => {
    await using home = await TestHome.create();
    await using server = await ServerProcess.start({ home, args: ["--read-only"] });
    expect(await server.fails("workflow_checkpoint_list")).toMatchObject({ code: "STORAGE_UNAVAILABLE", details: { reason: "no-store" } });
    expect(fs.existsSync(home.dataDir)).toBe(false);
  });
});

// One of the tests waits while the others run.
describe.concurrent("a complete session of reads", () => {
  it("over the server and the command line leaves every file, name, mode and time unchanged", () =>
    withStore(async (home) => {
      const before = snapshotOf(home.dataDir);
      const server = await ServerProcess.start({ home, args: ["--read-only"] });
      await readAll(server);
      const printed = await runAll(home, { commands: IS_LONG ? COMMANDS : SOME });
      expect(printed.get("status")).toContain("Read-only");
      expect(printed.get("doctor")).toContain("the store is read-only");
      await server[Symbol.asyncDispose]();
      expect(snapshotOf(home.dataDir)).toEqual(before);
    }));

  it("sees the saves of a writing server, and leaves all upkeep to that server", () =>
    withStore(async (home) => {
      await using writer = await ServerProcess.start({ home });
      const reader = await ServerProcess.start({ home, args: ["--read-only"] });
      for (const number of [3, 4, 5]) {
        await writer.ok("workflow_checkpoint_save", { sessionId: "s", context: { goal: `gnomon${number}` } });
        expect(await reader.ok("workflow_checkpoint_load", { sessionId: "s" })).toMatchObject({ context: { goal: `gnomon${number}` } });
        expect((await reader.ok("checkpoint_search", { query: `"gnomon${number}"` }))["results"]).toHaveLength(1);
      }
      // Work that a save postpones is done a second or two after it. A stopped process changes nothing, whatever is left.
      await new Promise((resolve) => setTimeout(resolve, 3_000));
      if (process.platform !== "win32") process.kill(writer.pid, "SIGSTOP");
      const before = snapshotOf(home.dataDir);
      expect(await reader.ok("workflow_checkpoint_list")).toMatchObject({ total: 5 });
      await reader[Symbol.asyncDispose]();
      const after = snapshotOf(home.dataDir);
      if (process.platform !== "win32") process.kill(writer.pid, "SIGCONT");
      expect(after).toEqual(before);
    }));

  const isRoot = process.getuid?.() === 0;
  const canBeOther = !isRoot || spawnSync(AS_OTHER, ["--version"]).status === 0;
  // Root may read and write everywhere; another user may not.
  const OTHER = 65_534;
  const asOther = isRoot ? [AS_OTHER, `--reuid=${OTHER}`, `--regid=${OTHER}`, "--clear-groups"] : [];

  it.skipIf(process.platform === "win32" || !canBeOther)(
    "reports which files of hosts the user may not read (skipped on Windows, and as root without setpriv)",
    () =>
      withStore(async (home) => {
        const locked = path.join(home.directory, "locked");
        fs.mkdirSync(locked, { mode: 0o000 });
        fs.chmodSync(home.directory, 0o755);
        const launcher = path.join(await bundleServer(), "workrail-mcp.mjs");
        const [command, ...before] = [...asOther, process.execPath, launcher] as unknown as [string, ...string[]];
        const env = {
          HOME: locked,
          PATH: [locked, process.env["PATH"]].join(path.delimiter),
          WORKRAIL_DATA_DIR: path.join(home.directory, "none"),
        };
        const run = (args: string): string => {
          const { stdout, stderr } = spawnSync(command, [...before, ...args.split(" ")], { cwd: home.project, env, encoding: "utf8" });
          return stdout + stderr;
        };
        expect(run("import claude-code --dry-run")).toMatch(/^INVALID_INPUT: .*projects cannot be read\.\n/u);
        expect(run("import basic-memory --dry-run")).toMatch(/^INVALID_INPUT: .*config\.json cannot be read/u);
        expect(run("import mcp-memory-keeper --dry-run")).toMatch(/^INVALID_INPUT: .*context\.db cannot be read/u);
        expect(run("setup claude-code --dry-run")).toContain("settings.json was not changed: it cannot be read.");
      }),
  );
  it.skipIf(process.platform === "win32" || !canBeOther)(
    "works in a directory that the user may not write to, with programs out of reach (skipped on Windows, and as root without setpriv)",
    () =>
      withStore(async (home) => {
        for (const name of ["", ...fs.readdirSync(home.dataDir, { recursive: true }).map(String)]) {
          const file = path.join(home.dataDir, name);
          fs.chmodSync(file, fs.lstatSync(file).isDirectory() ? 0o500 : 0o400);
          if (isRoot) fs.lchownSync(file, OTHER, OTHER);
        }
        fs.chmodSync(home.directory, 0o755);
        const before = snapshotOf(home.dataDir);
        const server = await ServerProcess.start({ home, args: ["--read-only"], through: asOther });
        await readAll(server);
        const names = IS_LONG ? ["load", "search", "status", "doctor"] : ["load", "doctor"];
        const some = COMMANDS.filter(([name = ""]) => names.includes(name));
        const locked = path.join(home.directory, "locked");
        fs.mkdirSync(locked, { mode: 0o000 });
        await runAll(home, { commands: some, through: asOther, programs: [locked, process.env["PATH"]].join(path.delimiter) });
        await server[Symbol.asyncDispose]();
        expect(snapshotOf(home.dataDir)).toEqual(before);
        for (const name of ["", ...fs.readdirSync(home.dataDir, { recursive: true }).map(String)])
          fs.chmodSync(path.join(home.dataDir, name), 0o700);
      }),
  );
});
