import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { REDACTION_KEY } from "@workrail/blob-files";
import { noPostgres, type PostgresServer, startPostgres } from "@workrail/faults";
import {
  copyStore,
  examineInstallation,
  isWorkrailError,
  migrateStore,
  openWorkrail,
  restoreBackup,
  syncStore,
  type Workrail,
} from "@workrail/runtime";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";

const missing = noPostgres();
/** Large enough that a delta saves something, and hard to compress. */
const NOTES = Array.from({ length: 200 }, (_, number) => `${number}: ${Math.imul(number + 1, 2_654_435_761) >>> 0}`);

describe.skipIf(missing !== undefined)(`a store in PostgreSQL${missing === undefined ? "" : `: not run, ${missing}`}`, () => {
  let server: PostgresServer;
  let directory: string;
  let env: Readonly<Record<string, string>>;

  beforeAll(async () => {
    server = await startPostgres({ isDurable: false });
    directory = mkdtempSync(path.join(tmpdir(), "workrail-store-"));
    env = { WORKRAIL_DATA_DIR: path.join(directory, "data"), WORKRAIL_STORE: server.url() };
  });
  afterAll(async () => {
    await server.destroy();
    rmSync(directory, { recursive: true, force: true });
  });

  const using = async <T>(work: (store: Workrail) => Promise<T>, options: object = {}): Promise<T> => {
    await using store = await openWorkrail({ env, project: null, upkeep: false, ...options });
    return await work(store);
  };

  it("is refused without tables, made by a migration, and kept by the next one", async () => {
    await expect(openWorkrail({ env })).rejects.toMatchObject({ code: "UNSUPPORTED_VERSION", details: { reason: "schema-older" } });
    expect(await migrateStore({ env })).toEqual({
      store: server.url(),
      applied: [
        "0001-initial",
        "0002-row-security",
        "0004-search",
        "0005-audit-subject",
        "0006-keys",
        "0007-tenant-names",
        "0008-jobs",
        "0009-attributes",
        "0010-search-blocks",
      ],
    });
    expect(await migrateStore({ env })).toEqual({ store: server.url(), applied: [] });
  });

  it("saves, loads, lists, finds and erases", async () => {
    const context = { plan: ["buy milk", "half \ud83e"], nothing: "\u0000" };
    const { checkpointId } = await using((store) => store.saveCheckpoint({ sessionId: "shop", context }));
    expect((await using((store) => store.loadCheckpoint({ checkpointId }))).context).toEqual(context);
    await using(async (store) => {
      await store.saveCheckpoint({ sessionId: "shop", context: { plan: ["buy bread"] } });
      expect((await store.listCheckpoints({ sessionId: "shop" })).map(({ sequence }) => sequence)).toEqual([2, 1]);
      expect((await store.searchCheckpoints({ query: "milk" })).hits.map((hit) => hit.checkpoint.id)).toEqual([checkpointId]);
      await store.deleteCheckpoint({ checkpointId });
      expect(await store.listCheckpoints({ sessionId: "shop" })).toHaveLength(1);
      expect((await store.verifyAuditLog()).findings).toEqual([]);
      expect(await store.storeStatus()).toMatchObject({ mode: "postgres", checkpoints: 1, durability: "disk" });
    });
    expect(existsSync(path.join(directory, "data", "workrail.db"))).toBe(false);
  });

  it("stays intact when several processes do its upkeep at the same time, beside a saver", async () => {
    await using((one) =>
      using(async (other) => {
        const save = async (): Promise<void> => {
          for (let step = 0; step < 20; step++) await one.saveCheckpoint({ sessionId: "kept", context: { step, notes: NOTES } });
        };
        const [, ...reports] = await Promise.all([save(), one.upkeep(), other.upkeep()]);
        reports.push(...(await Promise.all([one.upkeep(), other.upkeep({ verify: true })])));
        expect(reports.map(({ isComplete, left }) => [isComplete, left])).toEqual(reports.map(() => [true, []]));
        for (const { elsewhere, cleanUp, compacted, verified } of reports) {
          expect([cleanUp === undefined, compacted === undefined]).toEqual([elsewhere.includes("clean up"), elsewhere.includes("compact")]);
          expect(elsewhere.includes("verify") && verified !== undefined).toBe(false);
        }
        expect(reports.some(({ compacted }) => (compacted?.savedBytes ?? 0) > 0)).toBe(true);
        for (const { id, sequence } of await other.listCheckpoints({ sessionId: "kept" }))
          expect((await other.loadCheckpoint({ checkpointId: id })).context).toMatchObject({ step: sequence - 1 });
        expect((await one.verifyStore()).findings).toEqual([]);
        expect((await one.verifyAuditLog()).findings).toEqual([]);
      }),
    );
  });

  it("is shared by two processes", async () => {
    await using((one) =>
      using(async (other) => {
        for (let step = 1; step <= 5; step++) {
          await one.saveCheckpoint({ sessionId: "shared", context: { step, by: "one" } });
          await other.saveCheckpoint({ sessionId: "shared", context: { step, by: "other" } });
        }
        for (const store of [one, other]) {
          const checkpoints = await store.listCheckpoints({ sessionId: "shared" });
          expect(checkpoints.map(({ sequence }) => sequence)).toEqual([10, 9, 8, 7, 6, 5, 4, 3, 2, 1]);
        }
      }),
    );
  });

  it("is shared with a process that kept the head of a session", async () => {
    const sessionId = "kept";
    await using((one) =>
      using(async (other) => {
        for (let step = 1; step <= 4; step++) await one.saveCheckpoint({ sessionId, context: { plan: "ship", step } });
        await other.markCritical({ sessionId, contextKey: "step" });
        const pinned = await one.saveCheckpoint({ sessionId, context: { plan: "ship", step: 5 } });
        expect((await one.loadCheckpoint({ checkpointId: pinned.checkpointId })).metadata.layers?.CRITICAL).toBeGreaterThan(0);
        for (let step = 6; step <= 8; step++) await one.saveCheckpoint({ sessionId, context: { plan: "ship", step } });
        const others = await other.saveCheckpoint({ sessionId, context: { plan: "sail", step: 9 } });
        expect((await one.saveCheckpoint({ sessionId, context: { plan: "sail", step: 9 } })).status).toBe("SKIPPED_UNCHANGED");
        const next = await one.saveCheckpoint({ sessionId, context: { plan: "sail", step: 10 } });
        expect(next.parentId).toBe(others.checkpointId);
        for (let step = 11; step <= 13; step++) await one.saveCheckpoint({ sessionId, context: { plan: "sail", step } });
        const head = (await one.loadCheckpoint({ sessionId })).metadata.id;
        await other.erase({ sessionId });
        const saving = one.saveCheckpoint({ sessionId, parentId: head, context: { plan: "sail", step: 14 } });
        await expect(saving).rejects.toMatchObject({ code: "CHECKPOINT_NOT_FOUND" });
        expect((await one.saveCheckpoint({ sessionId, context: { plan: "sail", step: 15 } })).parentId).toBeNull();
      }),
    );
  });

  it("is copied to a directory and back, and takes what another store pushes", async () => {
    const [place, other] = [path.join(directory, "copied"), path.join(directory, "laptop")];
    const listed = async (store: Workrail) => {
      // Each storage has its own places of blobs.
      return (await store.listCheckpoints({ sessionId: "shared" })).map((each) => ({ ...each, blobPath: "" }));
    };
    const before = await using(listed);
    expect(await copyStore({ to: place, env })).toMatchObject({ from: server.url(), to: place, isComplete: true, missing: [] });
    expect(await using(listed, { dataDir: place })).toEqual(before);
    await server.createDatabase("second");
    await migrateStore({ store: server.url("second") });
    // The machine's own directory gets the key of placeholders, unless it has one.
    writeFileSync(path.join(place, REDACTION_KEY), "1".repeat(64));
    const machine = { ...env, WORKRAIL_DATA_DIR: path.join(directory, "machine") };
    expect(await copyStore({ from: place, to: server.url("second"), env: machine })).toMatchObject({
      to: server.url("second"),
      isComplete: true,
    });
    expect(readFileSync(path.join(directory, "machine", REDACTION_KEY), "utf8")).toBe("1".repeat(64));
    const store = server.url("second");
    expect(await using(listed, { store })).toEqual(before);
    expect((await using((copy) => copy.verifyAuditLog(), { store })).findings).toEqual([]);
    await using((laptop) => laptop.saveCheckpoint({ sessionId: "shared", context: { by: "laptop" } }), { dataDir: other });
    expect(await syncStore({ from: other, to: store, env })).toMatchObject({ to: store, pushed: 1, isComplete: true });
    expect(await using(listed, { store })).toHaveLength(before.length + 1);
  });

  it("takes its times from the database, whatever the machine's clock says", async () => {
    const before = Date.now();
    vi.useFakeTimers({ toFake: ["Date"], now: new Date("2001-01-01") });
    try {
      await using((store) => store.saveCheckpoint({ sessionId: "timed", context: { a: 1 } }));
    } finally {
      vi.useRealTimers();
    }
    const [saved] = await using((store) => store.listCheckpoints({ sessionId: "timed" }));
    expect(Date.parse(String(saved?.createdAt))).toBeGreaterThanOrEqual(before - 1_000);
  });

  it("can be opened for reading", async () => {
    await using(
      async (store) => {
        expect(await store.listCheckpoints({ sessionId: "shared" })).toHaveLength(10);
        await expect(store.saveCheckpoint({ sessionId: "shared", context: {} })).rejects.toMatchObject({ code: "READ_ONLY" });
      },
      { readOnly: true },
    );
  });

  it("does not apply where a closer directory is named", async () => {
    const { mode } = await using((store) => store.storeStatus(), { dataDir: path.join(directory, "other") });
    expect(mode).not.toBe("postgres");
  });

  it("is examined by the doctor, and not restored from a backup of files", async () => {
    const { findings } = await examineInstallation({ env });
    expect(findings.find(({ check }) => check === "database")).toMatchObject({
      status: "ok",
      message: expect.stringContaining("postgres"),
    });
    await expect(restoreBackup(path.join(directory, "none"), { env })).rejects.toMatchObject({ details: { field: "store" } });
  });

  it.each([
    ["a wrong port", "postgres://agent:opensesame@127.0.0.1:1/team"],
    ["an unknown database", "postgres://postgres:opensesame@HOST/nowhere"],
    ["a broken URL", "postgres://agent:opensesame@[::1/team"],
    ["another protocol", "mysql://agent:opensesame@127.0.0.1/team"],
  ])("tells nobody the password: %s", async (_, url) => {
    const store = url.replace("HOST", new URL(server.url()).host);
    const error: unknown = await openWorkrail({ env, store, fallback: "fail" }).catch((reason: unknown) => reason);
    expect(isWorkrailError(error) && error.hint).toBeTruthy();
    expect(everything(error)).not.toContain("opensesame");
    const { findings } = await examineInstallation({ env: { ...env, WORKRAIL_STORE: store } });
    expect(JSON.stringify(findings)).not.toContain("opensesame");
  });
});

/** Texts of an error, its details and its causes. */
function everything(error: unknown): string {
  if (typeof error !== "object" || error === null) return String(error);
  const own = Object.getOwnPropertyNames(error).map((name) => everything(Reflect.get(error, name)));
  return own.join("\n");
}
