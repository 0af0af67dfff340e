import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { HOSTILE_PROJECTS, makeHostile, timeToEnd } from "@workrail/faults";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { bundleServer } from "./testing/bundle.ts";
import { RawClient } from "./testing/raw-client.ts";
import { IS_LONG } from "../../../packages/storage-conformance/test/long-form.ts";

const HANG = pathToFileURL(fileURLToPath(new URL("testing/hang.ts", import.meta.url))).href;
const SIGNALS = ["SIGTERM", "SIGINT"] as const;
/** Hanging threads, each with a signal. The short form tries each thread and each signal once. */
const THREADS = [
  ["file", "SIGTERM"],
  ["worker", "SIGINT"],
  ...(IS_LONG
    ? ([
        ["file", "SIGINT"],
        ["worker", "SIGTERM"],
      ] as const)
    : []),
] as const;
const PATIENCE_MS = 60_000;

/** Folder of one test, with a pipe without a writer. */
class Place implements Disposable {
  readonly root: string = realpathSync(mkdtempSync(path.join(tmpdir(), "workrail-hanging-")));
  readonly pipe: string = path.join(this.root, "pipe");

  constructor() {
    execFileSync("mkfifo", [this.pipe]);
  }

  env(more: Readonly<Record<string, string>>): Record<string, string> {
    return { WORKRAIL_DATA_DIR: path.join(this.root, "data"), HOME: this.root, HANG_ON: this.pipe, ...more };
  }

  [Symbol.dispose](): void {
    rmSync(this.root, { recursive: true, force: true, maxRetries: 3 });
  }
}

// Windows has no signals, and no pipes in its file system. The tests mostly wait, so they run at the same time.
describe.skipIf(process.platform === "win32").concurrent("a hanging part of a process (pipes and signals; not on Windows)", () => {
  let launcher: string;

  beforeAll(async () => {
    launcher = path.join(await bundleServer(), "workrail-mcp.mjs");
  });

  async function serve(cwd: string, env: Readonly<Record<string, string>>): Promise<RawClient> {
    const args = ["--import", HANG, launcher, "--log-level", "info"];
    const client = new RawClient(env, { command: process.execPath, args, cwd });
    await client.request(0, "initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } });
    await client.answer(0);
    await client.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
    return client;
  }

  async function msToEnd(client: RawClient, signal: NodeJS.Signals): Promise<number> {
    const told = performance.now();
    client.kill(signal);
    await client.exit();
    return performance.now() - told;
  }

  it.each(THREADS)(
    "with a thread on a %s: a server ends within five seconds of %s, after it answered all calls and closed",
    { timeout: PATIENCE_MS },
    async (hang, signal) => {
      using place = new Place();
      const client = await serve(place.root, place.env({ HANG: hang }));
      const saved = await client.call(1, "workflow_checkpoint_save", { sessionId: "s", context: { goal: "end" } });
      expect(saved.result?.structuredContent).toMatchObject({ status: "SAVED" });
      // Wait until the worker has started.
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      expect(await msToEnd(client, signal)).toBeLessThan(timeToEnd());
      expect(client.stderr).toContain('"msg":"stopping"');
    },
  );

  it.each(IS_LONG ? SIGNALS : SIGNALS.slice(0, 1))(
    "with git: a server answers, ends within five seconds of %s, and leaves no git process",
    { timeout: PATIENCE_MS },
    async (signal) => {
      using place = new Place();
      const { root } = place;
      const shape = HOSTILE_PROJECTS["a file of the work that is a pipe"] ?? (() => {});
      const { project } = await makeHostile(root, shape);
      const bin = path.join(root, "bin");
      mkdirSync(bin);
      writeFileSync(path.join(bin, "git"), `#!/bin/sh\necho $$ > ${root}/pid\nexec sleep 300\n`);
      chmodSync(path.join(bin, "git"), 0o755);
      const client = await serve(project, place.env({ PATH: `${bin}:${process.env["PATH"]}` }));
      await client.call(1, "workflow_checkpoint_save", { sessionId: "s", context: { goal: "Mend src/a.ts" } });
      await client.request(3, "tools/call", { name: "workflow_resume", arguments: { sessionId: "s" } });
      await vi.waitFor(() => expect(existsSync(path.join(root, "pid"))).toBe(true), { timeout: PATIENCE_MS / 2 });
      expect(await msToEnd(client, signal)).toBeLessThan(timeToEnd());
      expect(client.answers.find(({ id }) => id === 3)?.result?.isError).toBeUndefined();
      expect(isAlive(Number(readFileSync(path.join(root, "pid"), "utf8")))).toBe(false);
    },
  );

  it("does not keep a command from ending when it is done", { timeout: PATIENCE_MS }, async () => {
    using place = new Place();
    const env = { ...process.env, ...place.env({ HANG: "file" }) };
    const child = spawn(process.execPath, ["--import", HANG, launcher, "list"], { cwd: place.root, env, stdio: "pipe" });
    const started = performance.now();
    await once(child, "exit");
    expect(performance.now() - started).toBeLessThan(PATIENCE_MS / 2);
  });
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
