import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Log } from "@workrail/core";
import { HOSTILE_PROJECTS, type HostilePlace, makeHostile, NEVER_TOLD, OWN_WORDS, timeToEnd } from "@workrail/faults";
import { openWorkrail } from "@workrail/runtime";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { bundleServer } from "./testing/bundle.ts";
import { RawClient } from "./testing/raw-client.ts";

/** `npm run test:faults` sets the variable, and tests each project with the server and the command line. */
const isThorough = process.env["WORKRAIL_HOSTILE_PROJECTS"] === "all";
/** Projects tested in processes, which take a second each: those that once hung. */
const IN_PROCESSES = isThorough
  ? Object.keys(HOSTILE_PROJECTS)
  : ["rules that link to a pipe", "rules that link to /dev/ptmx", "a configuration of git that is a pipe"];
/** Longer than any expected wait, even on a busy machine. */
const PATIENCE_MS = 60_000;
const CONTEXT = { goal: "Mend src/a.ts", files: ["src/a.ts"], step: 1 };

let root: string;

beforeEach(() => {
  root = realpathSync(mkdtempSync(path.join(tmpdir(), "workrail-hostile-")));
});

afterEach(() => rmSync(root, { recursive: true, force: true, maxRetries: 3 }));

function make(name: string): Promise<HostilePlace> {
  const shape = HOSTILE_PROJECTS[name];
  if (shape === undefined) throw new Error(`There is no ${name}.`);
  return makeHostile(root, shape);
}

function expectNothingTold(text: string): void {
  expect(NEVER_TOLD.filter((secret) => text.includes(secret))).toEqual([]);
}

// Windows has no pipes and devices in its file system, and requires a privilege to create links.
describe.skipIf(process.platform === "win32")("a hostile project (pipes, devices and links; not on Windows)", () => {
  it("has at least 30 shapes", () => {
    expect(Object.keys(HOSTILE_PROJECTS).length).toBeGreaterThanOrEqual(30);
  });

  it.each(Object.keys(HOSTILE_PROJECTS))("with %s blocks no save and no load", { timeout: PATIENCE_MS }, async (name) => {
    const { project } = await make(name);
    const logged: unknown[] = [];
    const note = (...said: unknown[]): void => void logged.push(said);
    const log: Log = { debug: note, info: note, warn: note, error: note };
    await using store = await openWorkrail({ dataDir: path.join(root, "data"), cwd: project, env: {}, adapters: { log } });
    const saved = await store.saveCheckpoint({ sessionId: "s", context: CONTEXT });
    expect(saved.status).toBe("SAVED");
    const { context } = await store.loadCheckpoint({ sessionId: "s" });
    expect(context).toEqual(CONTEXT);
    const viewed = await store.viewCheckpoint({ sessionId: "s", budgetTokens: 500 });
    const resumed = await store.resumeWork({ sessionId: "s" });
    expectNothingTold(JSON.stringify(logged));
    expect(JSON.stringify(logged)).not.toContain(OWN_WORDS);
    expectNothingTold(JSON.stringify([saved, viewed, resumed]));
  });

  describe("in the programs", () => {
    let launcher: string;

    beforeAll(async () => {
      launcher = path.join(await bundleServer(), "workrail-mcp.mjs");
    });

    it.each(IN_PROCESSES)("with %s blocks no call, and no shutdown of the server", { timeout: PATIENCE_MS }, async (name) => {
      const { project } = await make(name);
      const client = new RawClient(env(), { command: process.execPath, args: [launcher, "--log-level", "debug"], cwd: project });
      try {
        await client.request(0, "initialize", {
          protocolVersion: "2025-06-18",
          capabilities: {},
          clientInfo: { name: "test", version: "1" },
        });
        await client.answer(0);
        await client.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
        const saved = await client.call(1, "workflow_checkpoint_save", { sessionId: "s", context: CONTEXT });
        expect(saved.result?.structuredContent).toMatchObject({ status: "SAVED" });
        const loaded = await client.call(2, "workflow_checkpoint_load", { sessionId: "s" });
        expect(loaded.result?.structuredContent).toMatchObject({ context: CONTEXT });
        const resumed = await client.call(3, "workflow_resume", { sessionId: "s" });
        expect(resumed.result?.isError).toBeUndefined();
        const told = performance.now();
        client.kill("SIGTERM");
        expect(await client.exit()).toEqual({ code: 0, signal: null });
        expect(performance.now() - told).toBeLessThan(timeToEnd());
        expect(client.stderr).not.toContain(OWN_WORDS);
        expectNothingTold(client.stderr + JSON.stringify([saved, loaded, resumed]));
      } finally {
        client.kill("SIGKILL");
        await client.exit();
      }
    });

    // The server and the library load too, above; a save and a resume are the commands that read most of a project.
    it.each(IN_PROCESSES)("with %s blocks no command", { timeout: PATIENCE_MS }, async (name) => {
      const { project } = await make(name);
      for (const command of isThorough ? ["save", "load", "resume"] : ["save", "resume"]) {
        const args = [command, "--session", "s"];
        const child = spawn(process.execPath, [launcher, ...args], { cwd: project, env: { ...process.env, ...env() }, stdio: "pipe" });
        child.stdin.end(JSON.stringify(CONTEXT));
        const { code, output } = await ending(child);
        expect({ code, output }).toMatchObject({ code: 0 });
        expectNothingTold(output);
      }
    });

    it.each(["config.json that is a pipe", "config.json that is a device"])(
      "with %s is reported, and the process ends",
      { timeout: PATIENCE_MS },
      async (name) => {
        const { project } = await makeHostile(root, () => {});
        const dataDir = path.join(root, "data");
        mkdirSync(dataDir, { mode: 0o700 });
        const config = path.join(dataDir, "config.json");
        const made = name.endsWith("pipe") ? spawn("mkfifo", [config]) : spawn("ln", ["-s", "/dev/zero", config]);
        await ending(made);
        const child = spawn(process.execPath, [launcher, "list"], { cwd: project, env: { ...process.env, ...env() }, stdio: "pipe" });
        const { code, output } = await ending(child);
        expect(code).not.toBe(0);
        expect(output).toContain("config.json");
      },
    );

    function env(): Record<string, string> {
      return { WORKRAIL_DATA_DIR: path.join(root, "data"), HOME: root };
    }
  });
});

function ending(child: ChildProcess): Promise<{ readonly code: number | null; readonly output: string }> {
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk: Buffer) => (output += chunk.toString()));
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, output }));
  });
}
