import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { checkNode } from "../src/doctor/check-machine.ts";
import { examineInstallation } from "../src/doctor/examine-installation.ts";
import type { DoctorCheck, DoctorFinding, DoctorReport } from "../src/doctor/finding.ts";
import { type HookRun, logRun } from "../src/hooks/hook-log.ts";
import { hookPlaces } from "../src/hooks/hook-places.ts";
import { type IncomingSave, newCheckpointId, waitingFiles, writeIncoming } from "../src/hooks/incoming-save.ts";
import { openWorkrail } from "../src/open-workrail.ts";

const CHECKS: readonly DoctorCheck[] = [
  "node",
  "sqlite",
  "configuration",
  "data-directory",
  "permissions",
  "file-system",
  "disk",
  "keychain",
  "database",
  "round-trip",
  "hooks",
  "incoming",
];

let folder: string;
let dataDir: string;

beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), "workrail-doctor-"));
  dataDir = path.join(folder, "data");
});

afterEach(() => {
  vi.unstubAllEnvs();
  fs.rmSync(folder, { recursive: true, force: true });
});

function examine(env: Readonly<Record<string, string>> = {}, fix = false): Promise<DoctorReport> {
  return examineInstallation({ env: { WORKRAIL_DATA_DIR: dataDir, ...env }, fix });
}

function found({ findings }: DoctorReport, check: DoctorCheck): DoctorFinding | undefined {
  return findings.find((finding) => finding.check === check);
}

async function save(): Promise<void> {
  await using store = await openWorkrail({ dataDir, env: {}, project: null });
  await store.saveCheckpoint({ sessionId: "s", context: { a: 1 } });
}

describe("the doctor", () => {
  it("runs all checks, creates no store, and leaves nothing behind", async () => {
    // Not the shared temporary directory, where other tests run their own doctors.
    for (const name of ["TMPDIR", "TEMP"]) vi.stubEnv(name, folder);
    const report = await examine();
    expect(report.findings.map(({ check }) => check)).toEqual(CHECKS);
    expect(report).toMatchObject({ dataDir, isHealthy: true });
    expect(found(report, "round-trip")).toMatchObject({ status: "ok", message: expect.stringContaining("came back exactly") });
    expect(fs.readdirSync(folder)).toEqual([]);
  });

  it("opens the existing store, and changes nothing in it", async () => {
    await save();
    const before = fs.readdirSync(dataDir, { recursive: true, encoding: "utf8" }).toSorted();
    const report = await examine();
    expect(found(report, "database")).toMatchObject({ status: "ok", message: expect.stringContaining("1 checkpoints in 1 sessions") });
    expect(fs.readdirSync(dataDir, { recursive: true, encoding: "utf8" }).toSorted()).toEqual(before);
  });

  it("continues with invalid settings, and names them", async () => {
    await save();
    fs.writeFileSync(path.join(dataDir, "config.json"), '{ "maxDepth": "many" }');
    const report = await examine({ WORKRAIL_MAX_KEYS: "0" });
    expect(report.isHealthy).toBe(false);
    expect(found(report, "configuration")).toMatchObject({
      status: "error",
      code: "INVALID_INPUT",
      message: expect.stringMatching(/^WORKRAIL_MAX_KEYS must be .* And 1 more/u),
    });
    expect(found(report, "database")?.status).toBe("skipped");
    expect(found(report, "round-trip")?.status).toBe("ok");
  });

  it("gives advice when the data directory is unusable", async () => {
    fs.writeFileSync(dataDir, "a file");
    const report = await examine();
    expect(found(report, "data-directory")).toMatchObject({ status: "error", code: "STORAGE_UNAVAILABLE", hint: expect.any(String) });
    const within = await examine({ WORKRAIL_DATA_DIR: path.join(dataDir, "data") });
    expect(found(within, "data-directory")).toMatchObject({ status: "error", message: expect.stringMatching(/is inside a file\.$/u) });
    expect(["database", "round-trip"].map((check) => found(report, check as DoctorCheck)?.status)).toEqual(["skipped", "skipped"]);
  });

  it("detects a file that is not a database, and passes on the advice", async () => {
    await save();
    fs.rmSync(path.join(dataDir, "contexts"), { recursive: true });
    fs.writeFileSync(path.join(dataDir, "workrail.db"), "no database".repeat(1_000));
    const report = await examine();
    expect(found(report, "database")).toMatchObject({ status: "warning", message: expect.stringContaining("rebuilt from the files") });
    expect(found(report, "round-trip")?.status).toBe("ok");
  });

  it("never creates a key for its round trip, even when encryption is demanded", async () => {
    const report = await examine({ WORKRAIL_ENCRYPTION: "enabled" });
    expect(found(report, "round-trip")?.status).toBe("ok");
  });

  it.skipIf(process.platform === "win32")(
    "reports files that others can read, and restricts them on request (skipped on Windows)",
    async () => {
      await save();
      // Opening a store fixes the modes of the database and its directory by itself.
      const session = path.join(dataDir, "contexts", "s");
      const [blob = ""] = fs.readdirSync(session).filter((name) => name.endsWith(".gz"));
      fs.chmodSync(session, 0o755);
      fs.chmodSync(path.join(session, blob), 0o644);
      const message = `Others can read or write: ${path.join("contexts", "s")}, ${path.join("contexts", "s", blob)}.`;
      expect(found(await examine(), "permissions")).toMatchObject({ status: "warning", fix: "possible", message });
      expect(found(await examine({}, true), "permissions")).toMatchObject({ status: "ok", fix: "done" });
      expect([session, path.join(session, blob)].map((file) => fs.statSync(file).mode & 0o777)).toEqual([0o700, 0o600]);
      expect(found(await examine(), "permissions")).toMatchObject({ status: "ok", message: "Only your user can read the stored files." });
    },
  );

  it.each([
    ["20.19.0", "error"],
    ["22.12.0", "warning"],
    ["22.14.0", "ok"],
    ["24.0.0", "ok"],
  ])("judges Node %s: %s", (version, status) => expect(checkNode(version).status).toBe(status));
});

const T = "2026-01-02T10:00:0";

function ran(event: string, second: number, more: Partial<HookRun> = {}): void {
  logRun(hookPlaces(dataDir), { at: `${T}${second}.000Z`, host: "codex", event, ms: second, ...more });
}

/** Leaves an incoming save as a hook does. */
async function leaveSave(context: IncomingSave["context"]): Promise<void> {
  const about = { format: "workrail-incoming", version: 1, kind: "workflow", tags: ["hook"], attributes: {}, agentId: "codex" } as const;
  const save = { ...about, checkpointId: newCheckpointId(), sessionId: "codex-1", createdAt: `${T}0.000Z`, context };
  await writeIncoming(hookPlaces(dataDir).incoming, save);
}

describe("the doctor's checks of hooks", () => {
  it("reports that no hook has run", async () => {
    const report = await examine();
    expect(found(report, "hooks")).toEqual({ check: "hooks", status: "ok", message: "No hook of a coding agent has run yet." });
    expect(found(report, "incoming")).toMatchObject({ status: "ok", message: "No saves of hooks wait for the store." });
  });

  it("reports the last run of each, durations, and the last failure", async () => {
    for (const second of [1, 2, 9, 3]) ran("stop", second);
    ran("session-end", 4, { error: "STORAGE_UNAVAILABLE: no." });
    ran("session-end", 5);
    ran("stop", 6, { host: "gemini" });
    const [codex, gemini] = (await examine()).findings.filter(({ check }) => check === "hooks");
    expect(codex).toEqual({
      check: "hooks",
      status: "ok",
      host: "codex",
      message:
        `codex, last runs: stop ${T}3.000Z (2 ms, at worst 9 ms), session-end ${T}5.000Z (4 ms, at worst 5 ms).` +
        ` Last failure: session-end ${T}4.000Z, STORAGE_UNAVAILABLE: no.`,
    });
    expect(gemini).toMatchObject({ host: "gemini", status: "ok" });
  });

  it("takes durations from the last hundred runs, and warns when the last run failed", async () => {
    ran("stop", 1, { ms: 5_000 });
    for (let count = 0; count < 100; count++) ran("stop", 2, { ms: 20 });
    expect(found(await examine(), "hooks")?.message).toContain("(20 ms, at worst 20 ms)");
    ran("stop", 3, { error: "Error: no." });
    expect(found(await examine(), "hooks")).toMatchObject({ status: "warning", hint: expect.any(String) });
  });

  it("counts waiting saves, and does not store them", async () => {
    await save();
    await leaveSave({ goal: "wait" });
    const report = await examine();
    expect(found(report, "incoming")).toMatchObject({ status: "ok", message: "Saves of hooks that wait for the store: 1." });
    expect(found(report, "database")?.message).toContain("holds 1 checkpoints");
    expect(waitingFiles(hookPlaces(dataDir).incoming)).toHaveLength(1);
  });

  it("reports refused saves with the reason and a hint", async () => {
    await save();
    await leaveSave({ deep: { deeper: { deepest: { value: 1 } } } });
    await (await openWorkrail({ dataDir, env: {}, project: null, limits: { maxDepth: 2 } })).close();
    const { incoming, refused } = hookPlaces(dataDir);
    expect(found(await examine(), "incoming")).toMatchObject({
      status: "warning",
      message: expect.stringMatching(/the store refused: 1, in .* Last reason: INVALID_INPUT: /u),
      hint: expect.stringContaining(incoming),
    });
    for (const name of fs.readdirSync(refused).filter((each) => each.endsWith(".json"))) {
      fs.renameSync(path.join(refused, name), path.join(incoming, name));
    }
    await using store = await openWorkrail({ dataDir, env: {}, project: null });
    expect((await store.findCheckpoints({ sessionId: "codex-1" })).total).toBe(1);
  });
});
