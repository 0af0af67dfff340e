import { execFileSync, spawn, spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { appendFileSync, closeSync, mkdirSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { HAS_SMALL_DISK, SmallDisk } from "@workrail/faults";
import { beforeEach, describe, expect, it } from "vitest";
import { useCli } from "./testing/use-cli.ts";
import { IS_LONG } from "../../../packages/storage-conformance/test/long-form.ts";

const cli = useCli();
/** The host gives the last hook of a session 1.5 s. A machine that runs all tests at once is slower. */
const LONGEST_MS = 10_000;

const ROUNDS = IS_LONG ? 3 : 2;
/** Hooks that are killed. */
const KILLED = ["session-end", "pre-compact", "stop"];

interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly ms: number;
}

interface HookOptions {
  readonly source?: string;
  readonly killAfterMs?: number;
  readonly env?: Readonly<Record<string, string>>;
}

/** A session of Claude Code: its transcript, and the hooks that the host runs. */
class HostSession {
  readonly id: string = randomUUID();
  readonly said: string[] = [];
  #last: string | null = null;

  get transcript(): string {
    return join(cli.folder, "host", `${this.id}.jsonl`);
  }

  get sessionId(): string {
    return `claude-code-${this.id}`;
  }

  say(prompt: string, reply: string): void {
    this.#add("user", prompt);
    this.#add("assistant", reply);
  }

  hook(event: string, { source, killAfterMs, env }: HookOptions = {}): Promise<Ended> {
    const begun = performance.now();
    const payload = { session_id: this.id, transcript_path: this.transcript, cwd: cli.project, hook_event_name: event, source };
    const options = { cwd: cli.project, env: { ...cli.env, ...env } };
    const child = spawn(process.execPath, [cli.launcher, "hook", event, "--host", "claude-code"], options);
    let [stdout, stderr] = ["", ""];
    child.stdout.on("data", (bytes: Buffer) => (stdout += bytes.toString()));
    child.stderr.on("data", (bytes: Buffer) => (stderr += bytes.toString()));
    // A killed hook stops reading.
    child.stdin.on("error", () => {});
    child.stdin.end(JSON.stringify(payload));
    const timer = killAfterMs === undefined ? undefined : setTimeout(() => child.kill("SIGKILL"), killAfterMs);
    return new Promise((resolve, reject) => {
      child.once("error", reject);
      child.once("close", (code, signal) => {
        clearTimeout(timer);
        resolve({ code, signal, stdout, stderr, ms: performance.now() - begun });
      });
    });
  }

  /** The messages of the conversation in the store. */
  async kept(): Promise<readonly string[]> {
    const { stdout, stderr } = await cli.run(["load", "--session", `${this.sessionId}-conversation`, "--json"]);
    if (stderr.includes("SESSION_NOT_FOUND")) return [];
    const { conversation } = JSON.parse(stdout) as Conversation;
    return conversation.map(({ content }) => content);
  }

  #add(type: "user" | "assistant", text: string): void {
    const uuid = randomUUID();
    const content = type === "user" ? text : [{ type: "text", text }];
    const about = { parentUuid: this.#last, isSidechain: false, type, uuid, sessionId: this.id, cwd: cli.project };
    appendFileSync(
      this.transcript,
      `${JSON.stringify({ ...about, timestamp: new Date().toISOString(), message: { role: type, content } })}\n`,
    );
    this.#last = uuid;
    this.said.push(text);
  }
}

interface Conversation {
  readonly conversation: readonly { readonly content: string }[];
}

function expectOpen(ended: readonly Ended[]): void {
  for (const { code, stderr, ms } of ended) {
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(ms).toBeLessThan(LONGEST_MS);
  }
}

/** Starts other sessions until these are saved: on a busy machine a hook gives up after its time, and the next start does its work. */
async function catchUp(sessions: readonly HostSession[]): Promise<void> {
  for (let start = 0; start < 10; start++) {
    const kept = await Promise.all(sessions.map(async (session) => (await session.kept()).length === session.said.length));
    if (!kept.includes(false)) return;
    expectOpen([await new HostSession().hook("session-start", { source: "startup" })]);
  }
}

beforeEach(() => mkdirSync(join(cli.folder, "host")));

it.skipIf(process.platform === "win32")("saves without loading cryptography, the store, a vocabulary or measuring", async () => {
  const note = join(cli.folder, "note.cjs");
  writeFileSync(note, 'process.once("exit", () => require("node:fs").writeSync(2, process.moduleLoadList.join("\\n")));');
  const session = new HostSession();
  session.say("Never push to main.", "I will not.");
  const { code, stderr } = await session.hook("session-end", { env: { NODE_OPTIONS: `--require "${note}"` } });
  expect(code).toBe(0);
  const slow = ["crypto", "zlib", "sqlite", "child_process", "perf_hooks", "internal/fs/promises"];
  for (const name of slow) expect(stderr.split("\n")).not.toContain(`NativeModule ${name}`);
  expect(await session.kept()).toEqual(["Never push to main.", "I will not."]);
});

it("report what changed in the repository since, and nothing on standard error", async () => {
  const git = (...args: string[]): unknown =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], { cwd: cli.project, stdio: "ignore" });
  const commit = (text: string): void => {
    writeFileSync(join(cli.project, "sum.py"), text);
    git("add", ".");
    git("commit", "-m", text);
  };
  git("init");
  commit("sum = 0");
  const session = new HostSession();
  session.say("Round the sum in sum.py. Never touch legacy.py.", "Next: the test.");
  expectOpen([await session.hook("session-end")]);
  commit("sum = 1");
  const resumed = await session.hook("session-start", { source: "resume" });
  expectOpen([resumed]);
  expect(resumed.stdout).toContain("1 commit");
});

describe("hooks that run at the same time", () => {
  it("save every message of one session once", async () => {
    const session = new HostSession();
    for (let round = 0; round < ROUNDS; round++) {
      session.say(`Prompt ${round}. Never touch file ${round}.`, `Reply ${round}.`);
      const events = ["stop", "session-end", "pre-compact", "stop", "user-prompt", "session-end", "pre-compact", "session-start"];
      expectOpen(await Promise.all(events.map((event) => session.hook(event, { source: "startup" }))));
      if (round === 1) await cli.output(["list"]);
    }
    await catchUp([session]);
    expect(await session.kept()).toEqual(session.said);
    const { checkpoints } = await cli.json<{ readonly checkpoints: readonly { readonly sessionId: string }[] }>(["list", "--limit", "100"]);
    // A save may hold several rounds, if hooks had no time before.
    expect(checkpoints.filter(({ sessionId }) => sessionId.endsWith("-conversation")).length).toBeLessThanOrEqual(ROUNDS);
  });

  it("keep the sessions of several agents apart", async () => {
    const sessions = Array.from({ length: 4 }, () => new HostSession());
    for (const session of sessions) session.say(`Prompt of ${session.id}.`, `Reply to ${session.id}.`);
    expectOpen(await Promise.all(sessions.flatMap((session) => [session.hook("stop"), session.hook("session-end")])));
    await catchUp(sessions);
    for (const session of sessions) expect(await session.kept()).toEqual(session.said);
  });
});

describe("a hook that is killed", () => {
  it("neither loses nor doubles a message: the next start of a session saves the rest, and does not change the transcript", async () => {
    const session = new HostSession();
    const events = IS_LONG ? [...KILLED, ...KILLED] : KILLED;
    for (const [index, event] of events.entries()) {
      session.say(`Prompt ${index}. Never touch file ${index}.`, `Reply ${index}.`);
      const before = readFileSync(session.transcript);
      await session.hook(event, { killAfterMs: 20 + (72 / events.length) * index });
      expectOpen([await new HostSession().hook("session-start", { source: "startup" })]);
      expect(readFileSync(session.transcript)).toEqual(before);
    }
    await catchUp([session]);
    expect(await session.kept()).toEqual(session.said);
  });
});

describe("a hook that cannot write", () => {
  it("reports it at the start of a session, with a pack from the transcript", async () => {
    writeFileSync(cli.dataDir, "no directory");
    const session = new HostSession();
    session.say("Round the sum. Never touch legacy.py.", "Next: the test.");
    expectOpen([await session.hook("stop"), await session.hook("session-end")]);
    const compacted = await session.hook("session-start", { source: "compact" });
    const started = await new HostSession().hook("session-start", { source: "startup" });
    expectOpen([compacted, started]);
    expect(compacted.stdout).toContain("Never touch legacy.py.");
    expect(started.stdout).toContain("Workrail cannot save automatically");
  });

  it.skipIf(process.platform !== "linux")("exits with 0 when its output cannot be written either", () => {
    const session = new HostSession();
    session.say("Round the sum.", "Next: the test.");
    const payload = { session_id: session.id, transcript_path: session.transcript, cwd: cli.project, source: "compact" };
    const full = openSync("/dev/full", "w");
    const { status, stderr } = spawnSync(process.execPath, [cli.launcher, "hook", "session-start"], {
      env: cli.env,
      input: JSON.stringify(payload),
      stdio: ["pipe", full, "pipe"],
      encoding: "utf8",
    });
    closeSync(full);
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  });

  it.skipIf(!HAS_SMALL_DISK)("reports a full disk, and saves when there is room again (needs a file system of its own)", async (test) => {
    const folder = join(cli.folder, "data");
    mkdirSync(folder);
    const disk = SmallDisk.mount(folder);
    if (disk === undefined) return test.skip("no file system may be mounted here");
    try {
      disk.leave(0);
      const session = new HostSession();
      session.say("Round the sum. Never touch legacy.py.", "Next: the test.");
      expectOpen([await session.hook("stop"), await session.hook("session-end")]);
      expect((await new HostSession().hook("session-start", { source: "startup" })).stdout).toContain("ENOSPC");
      disk.makeRoom();
      expectOpen([await new HostSession().hook("session-start", { source: "startup" })]);
      expect(await session.kept()).toEqual(session.said);
    } finally {
      disk.unmount();
    }
  });
});
