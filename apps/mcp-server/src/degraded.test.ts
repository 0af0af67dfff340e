import { execFileSync, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { chmod, chown, mkdir, readdir, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { openWorkrail } from "@workrail/runtime";
import { describe, expect, it, vi } from "vitest";
import { ServerProcess, type ServerProcessOptions, TestHome } from "./testing/server-process.ts";

const SAVE = "workflow_checkpoint_save";
const LOAD = "workflow_checkpoint_load";
const LIST = "workflow_checkpoint_list";
const MARK = "workflow_mark_critical";

const isPosix = process.platform !== "win32";
const isRoot = isPosix && process.getuid?.() === 0;
const isLinuxRoot = isRoot && process.platform === "linux";

/** User id nobody: file modes do not restrict root. Without root the current user is used. */
const NOBODY = 65_534;
const asSomebody: ServerProcessOptions = isRoot
  ? { nodeOptions: ["--import", `data:text/javascript,process.setgid(${NOBODY});process.setuid(${NOBODY})`] }
  : {};

/** Makes the server use up all file descriptors on a signal. */
const OPENS_FILES_WHEN_ASKED = `
  import fs from "node:fs";
  process.on("SIGUSR2", () => {
    try {
      for (;;) fs.openSync("/dev/null");
    } catch {
      process.stderr.write('{"msg":"no more files"}\\n');
    }
  });
`;

/** Creates a home directory that the unprivileged user may use at first. */
async function homeOfSomebody(): Promise<TestHome> {
  const home = await TestHome.create();
  if (isRoot) await chown(home.directory, NOBODY, NOBODY);
  return home;
}

/** Checks a server whose saves do not reach the disk: it answers every call and reports the durability. */
async function expectMemory(server: ServerProcess, sessionId: string, reason: string): Promise<string> {
  const degraded = { degraded: true, degradedReason: reason };
  const failure = await server.fails(SAVE, { sessionId, context: { goal: "go on", reason } });
  expect(failure).toMatchObject({
    code: "STORAGE_UNAVAILABLE",
    httpStatus: 503,
    details: { retained: "memory", sessionId, durability: "memory", reason, path: expect.any(String) },
  });
  expect(failure.text).toContain("in this process's memory only, not on disk");
  expect(failure.text).not.toContain("SAVED");
  const { checkpointId } = failure.details;
  expect(await server.ok(LOAD, { sessionId })).toMatchObject({
    checkpointId,
    context: { goal: "go on", reason },
    durability: "memory",
    ...degraded,
  });
  expect(await server.ok(LIST, { sessionId })).toMatchObject({ checkpoints: [{ checkpointId }], durability: "memory", ...degraded });
  expect(await server.ok(MARK, { sessionId, contextKey: "goal" })).toMatchObject({
    status: "SUCCESS",
    criticalKeys: ["goal"],
    durability: "memory",
    ...degraded,
  });
  return String(checkpointId);
}

/** Log lines at the start and the end of the failure. */
const ONCE_EACH = [
  { level: "error", msg: expect.stringContaining("is not writable") as string },
  { level: "warn", msg: expect.stringContaining("is writable again") as string },
];

/** Log lines about the disk only: settings in an unreadable directory are reported too. */
function ofTheDisk(server: ServerProcess): readonly object[] {
  return server.log.filter(({ msg }) => !String(msg).includes("config.json"));
}

/** Checks that the disk is back: the next save goes there, after the data kept in memory. */
async function expectDisk(server: ServerProcess, sessionId: string, keptId: string): Promise<void> {
  const saved = await server.ok(SAVE, { sessionId, context: { goal: "done" }, details: true });
  expect(saved).toMatchObject({ status: "SAVED", durability: "disk", parentId: keptId });
  expect(saved).not.toHaveProperty("degraded");
  await using other = await openWorkrail({ dataDir: server.home.dataDir, cwd: server.home.project, env: {} });
  const listed = await other.findCheckpoints({ sessionId });
  expect(listed).toMatchObject({ total: 2, session: { criticalKeys: ["goal"] } });
  expect(listed.checkpoints.map(({ id }) => id)).toEqual([saved["checkpointId"], keptId]);
  expect(await other.loadCheckpoint({ checkpointId: keptId })).toMatchObject({ context: { goal: "go on" } });
  expect(other.durability).toBe("disk");
}

describe("without its disk the server starts, answers, keeps saves in memory, and writes them later: the disk is", () => {
  it("a file where the data directory should be", async () => {
    await using home = await TestHome.create();
    await writeFile(home.dataDir, "in the way");
    await using server = await ServerProcess.start({ home });
    expect(await server.ok(LIST)).toMatchObject({ total: 0, degraded: true, degradedReason: "wrong-kind-of-file" });
    expect(await server.fails(LOAD, { sessionId: "s" })).toMatchObject({ code: "STORAGE_UNAVAILABLE" });
    const kept = await expectMemory(server, "s", "wrong-kind-of-file");
    await rm(home.dataDir);
    await expectDisk(server, "s", kept);
    expect(ofTheDisk(server)).toMatchObject(ONCE_EACH);
  });

  it.skipIf(!isPosix)("(modes; not on Windows) a directory that cannot be made", async () => {
    await using home = await homeOfSomebody();
    await chmod(home.directory, 0o500);
    await using server = await ServerProcess.start({ home, ...asSomebody });
    const kept = await expectMemory(server, "s", "not-permitted");
    await chmod(home.directory, 0o700);
    await expectDisk(server, "s", kept);
    expect(ofTheDisk(server)).toMatchObject(ONCE_EACH);
  });

  it.skipIf(!isRoot)("(as root only) another user's", async () => {
    await using home = await homeOfSomebody();
    await mkdir(home.dataDir, { mode: 0o700 });
    await using server = await ServerProcess.start({ home, ...asSomebody });
    const kept = await expectMemory(server, "s", "not-permitted");
    await chown(home.dataDir, NOBODY, NOBODY);
    await expectDisk(server, "s", kept);
    expect(ofTheDisk(server)).toMatchObject(ONCE_EACH);
  });

  it.skipIf(!isPosix)("(modes; not on Windows) a directory without read and write permission", async () => {
    await using home = await homeOfSomebody();
    await mkdir(home.dataDir);
    if (isRoot) await chown(home.dataDir, NOBODY, NOBODY);
    await chmod(home.dataDir, 0o000);
    await using server = await ServerProcess.start({ home, ...asSomebody });
    const kept = await expectMemory(server, "s", "not-permitted");
    await chmod(home.dataDir, 0o700);
    await expectDisk(server, "s", kept);
    expect(ofTheDisk(server)).toMatchObject(ONCE_EACH);
  });

  it.skipIf(!isPosix)("(modes; not on Windows) a store that is readable but not writable", async () => {
    await using home = await homeOfSomebody();
    const before = await ServerProcess.start({ home, ...asSomebody });
    const contexts = Array.from({ length: 5 }, (_, step) => ({ step, same: "x".repeat(2_000), noise: randomBytes(200).toString("hex") }));
    for (const context of contexts) await before.ok(SAVE, { sessionId: "before", context });
    await before.ok(MARK, { sessionId: "before", contextKey: "step" });
    await before[Symbol.asyncDispose]();
    await chmod(home.dataDir, 0o500);
    await using server = await ServerProcess.start({ home, ...asSomebody });
    const listed = await server.ok(LIST, { sessionId: "before", details: true });
    expect(listed).toMatchObject({ total: 5, degraded: true, session: { criticalKeys: ["step"] } });
    const ids = (listed["checkpoints"] as { checkpointId: string }[]).map(({ checkpointId }) => checkpointId);
    for (const [index, checkpointId] of ids.toReversed().entries()) {
      const loaded = await server.ok(LOAD, { checkpointId });
      expect(loaded).toMatchObject({ context: contexts[index], durability: "disk", degraded: true });
    }
    const reason = String(listed["degradedReason"]);
    expect(await server.fails(SAVE, { sessionId: "before", context: { step: 5 } })).toMatchObject({
      details: { retained: "memory", reason },
    });
    expect(await server.ok(LOAD, { sessionId: "before", full: true })).toMatchObject({
      context: { step: 5 },
      metadata: { parentId: ids[0] },
    });
    const kept = await expectMemory(server, "s", reason);
    await chmod(home.dataDir, 0o700);
    await expectDisk(server, "s", kept);
    expect(await server.ok(LIST, { sessionId: "before" })).toMatchObject({ total: 6, durability: "disk" });
  });

  it("a database that another process keeps locked", async () => {
    await using home = await TestHome.create();
    await using server = await ServerProcess.start({ home, env: { WORKRAIL_LOCK_TIMEOUT_MS: "50" } });
    await server.ok(SAVE, { sessionId: "before", context: { a: 1 } });
    const release = await holdWriteLock(join(home.dataDir, "workrail.db"));
    const kept = await expectMemory(server, "s", "locked");
    // Locks of other processes do not block reads.
    expect(await server.ok(LOAD, { sessionId: "before" })).toMatchObject({ context: { a: 1 }, durability: "disk", degraded: true });
    await release();
    await expectDisk(server, "s", kept);
    expect(ofTheDisk(server)).toMatchObject(ONCE_EACH);
  });

  it.skipIf(!isLinuxRoot)("(a small disk of its own; only as root on Linux) full", async (context) => {
    await using home = await TestHome.create();
    await mkdir(home.dataDir);
    try {
      execFileSync("mount", ["-t", "tmpfs", "-o", "size=4m", "tmpfs", home.dataDir], { stdio: "ignore" });
    } catch {
      context.skip("no file system may be mounted here");
    }
    try {
      await using server = await ServerProcess.start({ home });
      await vi.waitFor(async () => {
        await server.ok(LIST);
        expect((await stat(join(home.dataDir, "reserve"))).size).toBe(1024 * 1024);
      }, 60_000);
      let saved = 0;
      let failure: Awaited<ReturnType<ServerProcess["fails"]>> | undefined;
      for (; failure === undefined; saved++) {
        const noise = randomBytes(100_000).toString("base64");
        const result = await server.call(SAVE, { sessionId: "full", context: { saved, noise } });
        if (result.isError === true) failure = result._meta as unknown as typeof failure;
      }
      expect(failure).toMatchObject({ code: "STORAGE_UNAVAILABLE", details: { retained: "memory", reason: "disk-full" } });
      expect(saved).toBeGreaterThan(3);
      // The reserve was used up too.
      expect(await readdir(home.dataDir)).not.toContain("reserve");
      const { checkpointId } = failure.details;
      expect(await server.ok(LOAD, { sessionId: "full", keys: ["saved"] })).toMatchObject({ checkpointId, context: { saved: saved - 1 } });
      expect(await server.ok(LIST, { sessionId: "full" })).toMatchObject({ total: saved, degraded: true });
      execFileSync("mount", ["-o", "remount,size=16m", home.dataDir]);
      expect(await server.ok(SAVE, { sessionId: "full", context: { saved }, details: true })).toMatchObject({
        durability: "disk",
        parentId: checkpointId,
      });
      expect(await server.ok(LIST, { sessionId: "full" })).toMatchObject({ total: saved + 1, durability: "disk" });
    } finally {
      execFileSync("umount", ["-l", home.dataDir]);
    }
  });

  it.skipIf(!isPosix)("(a limit of the process; not on Windows) limited in the size of files", async () => {
    await using home = await TestHome.create();
    await using server = await ServerProcess.start({ home, through: ["sh", "-c", 'ulimit -f 400; exec "$@"', "sh"] });
    const large = { sessionId: "large", context: { noise: randomBytes(400_000).toString("base64") } };
    const failure = await server.fails(SAVE, large);
    expect(failure).toMatchObject({
      code: "STORAGE_UNAVAILABLE",
      details: { retained: "memory", reason: "file-too-large", code: "EFBIG" },
    });
    expect(await server.ok(LOAD, { sessionId: "large", keys: ["none"] })).toMatchObject({ degraded: true, durability: "memory" });
  });

  it.skipIf(!isPosix)("(a limit of the process; not on Windows) out of reach, because too many files are open", async () => {
    await using home = await TestHome.create();
    await using server = await ServerProcess.start({
      home,
      through: ["sh", "-c", 'ulimit -n 64; exec "$@"', "sh"],
      nodeOptions: ["--import", `data:text/javascript,${encodeURIComponent(OPENS_FILES_WHEN_ASKED)}`],
    });
    process.kill(server.pid, "SIGUSR2");
    await vi.waitFor(() => expect(server.log).toContainEqual({ msg: "no more files" }), { timeout: 60_000 });
    await expectMemory(server, "s", "too-many-files");
  });
});

it("stores nothing and reports that when the fallback is off", async () => {
  await using home = await TestHome.create();
  await writeFile(home.dataDir, "in the way");
  await using server = await ServerProcess.start({ home, env: { WORKRAIL_FALLBACK: "fail" } });
  for (const [name, given] of [
    [SAVE, { context: { a: 1 } }],
    [LOAD, { sessionId: "s" }],
    [LIST, {}],
    [MARK, { sessionId: "s", contextKey: "a" }],
  ] as const) {
    const { code, details } = await server.fails(name, given);
    expect([code, details["retained"]]).toEqual(["STORAGE_UNAVAILABLE", undefined]);
  }
  await rm(home.dataDir);
  expect(await server.ok(SAVE, { sessionId: "s", context: { a: 1 } })).toMatchObject({ status: "SAVED", durability: "disk" });
});

/** Runs in another process: in this one the locks of the two libraries would not see each other. */
async function holdWriteLock(file: string): Promise<() => Promise<void>> {
  const script = `new (require("node:sqlite").DatabaseSync)(process.argv[1]).exec("BEGIN IMMEDIATE"); console.log("held"); setInterval(() => {}, 1000)`;
  const holder = spawn(process.execPath, ["-e", script, file], { stdio: ["ignore", "pipe", "inherit"] });
  await once(holder.stdout, "data");
  return async () => {
    const gone = once(holder, "exit");
    holder.kill("SIGKILL");
    await gone;
  };
}
