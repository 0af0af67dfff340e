import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath, pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bundleServer } from "../../../apps/mcp-server/src/testing/bundle.ts";

const DEMO = fileURLToPath(new URL("main.ts", import.meta.url));

/** Returns another word in place of one saved word. */
const LOSSY = `const write = process.stdout.write.bind(process.stdout);
process.stdout.write = (chunk, ...rest) => write(Buffer.from(chunk).toString().replaceAll("ultramarine", "aquamarine"), ...rest);`;

/** Keeps only the two newest checkpoints. */
const FORGETFUL = 'process.env.WORKRAIL_MAX_CHECKPOINTS = "2";';

const session = {
  id: "a short session",
  initial: { goal: "Paint the wall in ultramarine, twice, and let it dry in between", log: [], rooms: {} },
  steps: Array.from({ length: 9 }, (_, index) => ({
    set: { currentStep: index, ["__proto__"]: { kept: index } },
    append: { log: [{ index, text: "\ud83e half, 味噌汁, \u2028 ".repeat(20) }] },
    put: { rooms: { [`room/${index}~`]: { coats: index % 3 } } },
  })),
};

describe("the demo", () => {
  let home: string;
  let file: string;
  let server: string;

  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), "workrail-demo-test-"));
    file = join(home, "session.json");
    await writeFile(file, JSON.stringify(session));
    server = join(await bundleServer(), "workrail-mcp.mjs");
  });

  afterAll(async () => {
    await rm(home, { recursive: true, force: true });
  });

  /** Writes a program that is the server with one flaw. */
  async function serverWith(flaw: string): Promise<string> {
    const program = join(home, "flawed-server.mjs");
    await writeFile(program, `${flaw}\nawait import(${JSON.stringify(pathToFileURL(server))});\n`);
    return program;
  }

  /** Runs the demo as a user does, but against a bundle of the server's sources, so that no stale build is tested. */
  async function play(...args: string[]): Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }> {
    const child = spawn(process.execPath, ["--conditions=@workrail/source", DEMO, ...args], {
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, TMPDIR: home, TEMP: home, TMP: home, NO_COLOR: "1" },
    });
    let stdout = "";
    let stderr = "";
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => (stdout += chunk));
    child.stderr.setEncoding("utf8").on("data", (chunk: string) => (stderr += chunk));
    const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
    return { code, stdout, stderr };
  }

  it("survives a kill and the loss of the database, and reports it", async () => {
    const { code, stdout, stderr } = await play(file, "--server", server);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    for (const line of [
      /session +a short session, 9 steps/u,
      /play +steps 1 to \d saved/u,
      /kill +SIGKILL [\d.]+ ms after the save of step \d was sent/u,
      /resume +\d checkpoints listed; the latest is step \d, .*: byte for byte as saved/u,
      /delete +workrail\.db/u,
      /rebuild +\d+ checkpoints found in the files, [\d.]+ ms/u,
      /compare +9 of 9 acknowledged checkpoints come back byte for byte/u,
      /checkpoints +9, the last of [\d.]+ KiB/u,
      /bytes +[\d.]+ KiB of contexts in [\d.]+ KiB of files/u,
      /save +median [\d.]+ ms, p95 [\d.]+ ms \(\d+ calls/u,
      /load +median [\d.]+ ms, p95 [\d.]+ ms \(\d+ calls/u,
      /2,000 tokens +The answer takes [\d,]+ tokens\. \d of 5 entries are whole, \d shortened, \d left out\. goal, marked as critical, is whole\./u,
      /\nEverything that was acknowledged came back exactly\.\n$/u,
    ]) {
      expect(stdout).toMatch(line);
    }
    expect(await dataDirectories()).toEqual([]);
  });

  it("fails and names each checkpoint that comes back different", async () => {
    const { code, stdout } = await play(file, "--steps", "3", "--server", await serverWith(LOSSY));
    expect(code).toBe(1);
    expect(stdout).toMatch(/compare +\d of [34] acknowledged checkpoints come back byte for byte/u); // 4 if the kill came after the commit.
    expect(stdout).toMatch(/resume .*: NOT as saved/u);
    expect(stdout).toMatch(
      /after the rebuild: step 1 \([\w-]+\) came back different, from character \d+: .*ultramarine.* was saved, .*aquamarine/u,
    );
    expect(stdout).toContain("at the end: the context is not what it would be without the crash");
    expect(stdout).not.toContain("Everything that was acknowledged came back");
    const [kept] = await dataDirectories();
    expect(stdout).toContain(`The data is kept in ${join(home, kept ?? "")}`);
    await rm(join(home, kept ?? ""), { recursive: true });
  });

  it("fails and names each missing checkpoint", async () => {
    const { code, stdout } = await play(file, "--steps", "5", "--server", await serverWith(FORGETFUL));
    expect(code).toBe(1);
    expect(stdout).toMatch(/after the rebuild: checkpoint [\w-]+ was acknowledged and is not listed/u);
    expect(stdout).toMatch(/after the rebuild: workflow_checkpoint_load failed: CHECKPOINT_NOT_FOUND/u);
  });

  it("reports invalid arguments", async () => {
    expect(await play("--steps", "2")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("--steps takes a whole number of at least 3."),
    });
    const missing = join(home, "missing.json");
    expect(await play(missing, "--server", server)).toMatchObject({ code: 1, stdout: "", stderr: expect.stringContaining(missing) });
    expect(await play(file, "--server", missing)).toMatchObject({ code: 1, stderr: expect.stringContaining("npm run setup") });
  });

  async function dataDirectories(): Promise<string[]> {
    return existsSync(home) ? (await readdir(home)).filter((name) => name.startsWith("workrail-demo-")) : [];
  }
});
