import { type ChildProcessWithoutNullStreams, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { HOSTILE_PROJECTS, makeHostile, timeToEnd } from "@workrail/faults";
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { bundleServer } from "./testing/bundle.ts";
import { RawClient } from "./testing/raw-client.ts";
import { IS_LONG } from "../../../packages/storage-conformance/test/long-form.ts";

const HANG = pathToFileURL(fileURLToPath(new URL("testing/hang.ts", import.meta.url))).href;
const SIGNALS = ["SIGTERM", "SIGINT"] as const;
/** Hanging threads with the signals that end the process. In the short form, they take turns with the signals. */
const ENDINGS = (["file", "worker"] as const)
  .flatMap((hang, at) => SIGNALS.map((signal, index) => ({ hang, signal, isInShort: at === index })))
  .filter(({ isInShort }) => IS_LONG || isInShort)
  .map(({ hang, signal }) => [hang, signal] as const);
const PATIENCE_MS = 60_000;

// Windows has no signals, and no pipes in its file system.
describe.skipIf(process.platform === "win32")("a hanging part of a process (pipes and signals; not on Windows)", () => {
  let root: string;
  let pipe: string;
  let launcher: string;

  beforeAll(async () => {
    launcher = path.join(await bundleServer(), "workrail-mcp.mjs");
  });

  beforeEach(() => {
    root = realpathSync(mkdtempSync(path.join(tmpdir(), "workrail-hanging-")));
    pipe = path.join(root, "pipe");
    execFileSync("mkfifo", [pipe]);
  });

  afterEach(() => rmSync(root, { recursive: true, force: true, maxRetries: 3 }));

  function env(more: Readonly<Record<string, string>>): Record<string, string> {
    return { WORKRAIL_DATA_DIR: path.join(root, "data"), HOME: root, HANG_ON: pipe, ...more };
  }

  async function serve(cwd: string, more: Readonly<Record<string, string>>): Promise<RawClient> {
    const args = ["--import", HANG, launcher, "--log-level", "info"];
    const client = new RawClient(env(more), { command: process.execPath, args, cwd });
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

  it.each(ENDINGS)(
    "with a thread on a %s: a server ends within five seconds of %s, after it answered all calls and closed",
    { timeout: PATIENCE_MS },
    async (hang, signal) => {
      const client = await serve(root, { HANG: hang });
      const saved = await client.call(1, "workflow_checkpoint_save", { sessionId: "s", context: { goal: "end" } });
      expect(saved.result?.structuredContent).toMatchObject({ status: "SAVED" });
      // Wait until the worker has started.
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      expect(await msToEnd(client, signal)).toBeLessThan(timeToEnd());
      expect(client.stderr).toContain('"msg":"stopping"');
    },
  );

  it.each(IS_LONG ? SIGNALS : [SIGNALS[0]])(
    "with git: a server answers, ends within five seconds of %s, and leaves no git process",
    { timeout: PATIENCE_MS },
    async (signal) => {
      const shape = HOSTILE_PROJECTS["a file of the work that is a pipe"] ?? (() => {});
      const { project } = await makeHostile(root, shape);
      const bin = path.join(root, "bin");
      mkdirSync(bin);
      writeFileSync(path.join(bin, "git"), `#!/bin/sh\necho $$ > ${root}/pid\nexec sleep 300\n`);
      chmodSync(path.join(bin, "git"), 0o755);
      const client = await serve(project, { PATH: `${bin}:${process.env["PATH"]}` });
      await client.call(1, "workflow_checkpoint_save", { sessionId: "s", context: { goal: "Mend src/a.ts" } });
      await client.request(3, "tools/call", { name: "workflow_resume", arguments: { sessionId: "s" } });
      await vi.waitFor(() => expect(existsSync(path.join(root, "pid"))).toBe(true), { timeout: PATIENCE_MS / 2 });
      expect(await msToEnd(client, signal)).toBeLessThan(timeToEnd());
      expect(client.answers.find(({ id }) => id === 3)?.result?.isError).toBeUndefined();
      expect(isAlive(Number(readFileSync(path.join(root, "pid"), "utf8")))).toBe(false);
    },
  );

  it("does not keep a command from ending when it is done", { timeout: PATIENCE_MS }, async () => {
    const child = run(["--import", HANG, launcher, "list"], { HANG: "file" });
    const started = performance.now();
    await once(child, "exit");
    expect(performance.now() - started).toBeLessThan(PATIENCE_MS / 2);
  });

  function run(args: readonly string[], more: Readonly<Record<string, string>>): ChildProcessWithoutNullStreams {
    return spawn(process.execPath, args, { cwd: root, env: { ...process.env, ...env(more) }, stdio: "pipe" });
  }
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
