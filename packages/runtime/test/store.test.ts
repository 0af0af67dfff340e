import fs from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { gunzipSync } from "node:zlib";
import { nodeFileSystem, openSqliteFs } from "@workrail/sqlite-fs";
import { describe, expect, it } from "vitest";
import type { Settings } from "../src/settings.ts";
import type { Workrail } from "../src/workrail.ts";
import { foreseeable, KINDS, onDisk, readAudit, refusalOf, removeCatalog } from "./stores.ts";

const SHA256 = /^[0-9a-f]{64}$/;
const FULL = {
  sessionId: "session",
  context: { goal: "ship", steps: [1, 2] },
  metadata: { name: "before review", tags: ["review", "auth"], attributes: { ticket: "AB-1", nested: { __proto__: null, a: 1 } } },
  workflowId: "login-fix",
  agentId: "agent-1",
};

describe.each(KINDS)("a store in $kind", ({ at }) => {
  const withStore = (test: (workrail: Workrail) => Promise<void>, project: string | null = "/project"): Promise<void> =>
    at(async (place) => {
      const workrail = await place.open({ project, adapters: foreseeable() });
      try {
        await test(workrail);
      } finally {
        await workrail.close();
      }
    });

  it("answers a save with every field", () =>
    withStore(async (workrail) => {
      const first = await workrail.saveCheckpoint(FULL);
      expect(first).toEqual({
        checkpointId: "00000000-c8ec-4000-8000-000000000001",
        sessionId: "session",
        sessionReason: "given",
        status: "SAVED",
        sizeBytes: expect.any(Number) as number,
        parentId: null,
        createdAt: "2026-01-01T00:00:00.000Z",
        contextHash: expect.stringMatching(SHA256) as string,
        blobPath: expect.stringMatching(/session\/00000000-c8ec-4000-8000-000000000001/) as string,
        durability: workrail.durability,
      });
      expect(first.sizeBytes).toBeGreaterThan(100);
      const second = await workrail.saveCheckpoint({ sessionId: "session", context: { goal: "ship it" } });
      expect(second).toMatchObject({ status: "SAVED", parentId: first.checkpointId });
      expect(second.contextHash).not.toBe(first.contextHash);
    }));

  it("answers a repeated save with the existing checkpoint, and reports the ignored fields", () =>
    withStore(async (workrail) => {
      const first = await workrail.saveCheckpoint(FULL);
      const metadata = { name: "another", tags: ["new"], attributes: { ticket: "AB-2" }, createdAt: "1999-01-01" };
      const again = await workrail.saveCheckpoint({ ...FULL, context: { steps: [1, 2], goal: "ship" }, metadata });
      expect(again).toEqual({
        ...first,
        status: "SKIPPED_UNCHANGED",
        ignored: ["name", "tags", "metadata", "keyOrder"],
        ignoredMetadata: ["createdAt"],
      });
      expect(await workrail.saveCheckpoint(FULL)).toEqual({ ...first, status: "SKIPPED_UNCHANGED" });
      const forced = await workrail.saveCheckpoint({ ...FULL, force: true });
      expect(forced).toMatchObject({ status: "SAVED", parentId: first.checkpointId, contextHash: first.contextHash });
    }));

  it("uses all values as they were at the call, whatever the caller changes before the answer", () =>
    withStore(async (workrail) => {
      const tags = ["0"];
      const plan = { steps: ["0"] };
      const metadata = { tags, attributes: { plan } };
      const saves: Promise<unknown>[] = [];
      for (const step of [0, 1, 2]) {
        tags[0] = plan.steps[0] = String(step);
        saves.push(workrail.saveCheckpoint({ sessionId: "session", context: { step }, metadata }));
      }
      tags[0] = 5 as never;
      await Promise.all(saves);
      const listed = await workrail.listCheckpoints({ sessionId: "session" });
      expect(listed.map((each) => [each.tags, each.attributes?.["plan"]])).toEqual(
        ["2", "1", "0"].map((step) => [[step], { steps: [step] }]),
      );
      const add = ["first"];
      const tagged = workrail.tagSession({ sessionId: "session", add });
      add[0] = "second";
      expect((await tagged).tags).toEqual(["first"]);
      expect((await workrail.verifyStore()).findings).toEqual([]);
    }));

  it("refuses invalid input with a code, in every method", () =>
    withStore(async (workrail) => {
      await workrail.saveCheckpoint(FULL);
      const calls: Record<string, readonly (readonly [unknown, string])[]> = {
        findCheckpoints: [
          [{ tags: "x" }, "tags"],
          [{ name: 5 }, "name"],
          [{ query: 5 }, "query"],
          [{ notProject: [] }, "notProject"],
          [{ project: 5 }, "project"],
        ],
        resumeWork: [[{ hint: 5 }, "hint"]],
        storeConversation: [[{ conversation: "x", agentId: 5 }, "agentId"]],
        cleanUp: [
          [{ checkpointIds: "x" }, "checkpointIds"],
          [{ checkpointIds: null, sessionId: "session", permanently: true }, "checkpointIds"],
          [{ sessionId: "session", dryRun: 1 }, "dryRun"],
        ],
        erase: [[{ checkpointIds: "x" }, "checkpointIds"]],
        restoreFromTrash: [[{ sessionId: "session", checkpointIds: null }, "checkpointIds"]],
        markCritical: [[{ contextKey: "goal", critical: "no" }, "critical"]],
        backup: [[5, "directory"]],
        importFile: [[undefined, "file"]],
        exportAll: [[5, "folder"]],
        exportAuditLog: [[null, "file"]],
      };
      const nothing = [
        "saveCheckpoint",
        "loadCheckpoint",
        "viewCheckpoint",
        "handoff",
        "storeConversation",
        "listCheckpoints",
        "searchCheckpoints",
      ];
      const others = [
        "markCritical",
        "compressContext",
        "prioritizeContext",
        "erase",
        "deleteCheckpoint",
        "restoreFromTrash",
        "tagSession",
        "copySession",
      ];
      const more = [
        "traceSession",
        "compareCheckpoints",
        "findCheckpoints",
        "resumeWork",
        "cleanUp",
        "listTrash",
        "emptyTrash",
        "listSessions",
      ];
      for (const method of [...nothing, ...others, ...more, "storeStats", "scanStore", "auditLog", "verifyAuditLog"]) {
        calls[method] = [...(calls[method] ?? []), [null, "params"]];
      }
      for (const [method, wrong] of Object.entries(calls)) {
        for (const [given, field] of wrong) {
          const call = workrail[method as keyof Workrail] as (given: unknown) => Promise<unknown>;
          const { code, details } = await refusalOf(call.call(workrail, given));
          expect([method, code, details["field"]]).toEqual([method, "INVALID_INPUT", field]);
        }
      }
      expect(() => workrail.liveContext(undefined as never)).toThrow(expect.objectContaining({ code: "INVALID_INPUT" }) as Error);
      expect((await workrail.loadCheckpoint({ sessionId: "session" })).context).toEqual(FULL.context);
    }));

  it("refuses a project that is not an absolute path, and stores nothing of the save", () =>
    withStore(async (workrail) => {
      const { checkpointId } = await workrail.saveCheckpoint(FULL);
      for (const project of [5, true, {}, [], null, "", "rel/x", "/half \ud83d"] as string[]) {
        const refusal = await refusalOf(workrail.saveCheckpoint({ sessionId: "session", context: { step: 2 }, project }));
        expect(refusal).toMatchObject({ code: "INVALID_INPUT", details: { field: "project" } });
      }
      expect(await workrail.loadCheckpoint({ sessionId: "session" })).toMatchObject({ checkpointId, context: FULL.context });
      expect(await workrail.collectGarbage()).toMatchObject({ blobs: 0 });
    }));

  it.each([5, {}, "", "rel/x"])("is not opened for the project %j", (project) =>
    at(async (place) => {
      const refusal = await refusalOf(place.open({ project: project as string }));
      expect(refusal).toMatchObject({ code: "INVALID_INPUT", details: { field: "project" } });
    }),
  );

  it("loads a checkpoint with every field of its metadata, by its id and by its session", () =>
    withStore(async (workrail) => {
      const saved = await workrail.saveCheckpoint(FULL);
      await workrail.markCritical({ contextKey: "goal" });
      const expected = {
        checkpointId: saved.checkpointId,
        sessionId: "session",
        context: FULL.context,
        metadata: {
          id: saved.checkpointId,
          sessionId: "session",
          name: "before review",
          agentId: "agent-1",
          workflowId: "login-fix",
          project: "/project",
          createdAt: saved.createdAt,
          lastAccessedAt: saved.createdAt,
          tags: ["review", "auth"],
          contextSizeBytes: saved.sizeBytes,
          contextHash: saved.contextHash,
          blobPath: saved.blobPath,
          parentId: null,
          kind: "workflow",
          sequence: 1,
          layers: { CRITICAL: 1, IMPORTANT: 1 },
          criticalKeys: ["goal"],
          attributes: { ticket: "AB-1", nested: { a: 1 } },
        },
        durability: workrail.durability,
      };
      expect(await workrail.loadCheckpoint({ sessionId: "session" })).toEqual(expected);
      expect(await workrail.loadCheckpoint({ checkpointId: saved.checkpointId })).toEqual(expected);
      expect(await workrail.viewCheckpoint({ sessionId: "session" })).toEqual(expected);
      expect(await workrail.listCheckpoints({ sessionId: "session" })).toEqual([expected.metadata]);
    }));

  it("lists newest first, in pages, with facts of the session", () =>
    withStore(async (workrail) => {
      const sizes: number[] = [];
      for (const step of [1, 2, 3]) sizes.push((await workrail.saveCheckpoint({ sessionId: "session", context: { step } })).sizeBytes);
      await workrail.markCritical({ sessionId: "session", contextKey: "step" });
      const { checkpoints, ...rest } = await workrail.findCheckpoints({ sessionId: "session", limit: 2, offset: 1 });
      expect(checkpoints.map(({ sequence }) => sequence)).toEqual([2, 1]);
      expect(rest).toEqual({
        total: 3,
        limit: 2,
        offset: 1,
        session: {
          id: "session",
          createdAt: "2026-01-01T00:00:00.000Z",
          lastAccessedAt: "2026-01-01T00:00:02.000Z",
          totalSizeBytes: sizes.reduce((sum, size) => sum + size),
          checkpointCount: 3,
          criticalKeys: ["step"],
        },
        durability: workrail.durability,
      });
      expect((await workrail.listCheckpoints({ sessionId: "session", limit: 1 })).map(({ sequence }) => sequence)).toEqual([3]);
      expect((await workrail.listCheckpoints({ sessionId: "unknown" })).length).toBe(0);
    }));

  it("finds by every filter, all of which must hold", () =>
    withStore(async (workrail) => {
      const save = async (id: string, more: object): Promise<void> => {
        await workrail.saveCheckpoint({ sessionId: `s-${id}`, checkpointId: id, context: { id }, ...more });
      };
      await save("plain", {});
      await save("labelled", {
        metadata: { name: "Über Review", tags: ["a", "b"], attributes: { ticket: "AB-7" } },
        workflowId: "w",
        agentId: "x",
      });
      await save("project", { kind: "project", metadata: { tags: ["b"] } });
      await save("aside", { kind: "aside" });
      const ids = async (filter: object): Promise<readonly string[]> =>
        (await workrail.findCheckpoints(filter)).checkpoints.map(({ id }) => id).sort();
      expect(await ids({})).toEqual(["labelled", "plain", "project"]);
      expect(await ids({ tags: ["b"] })).toEqual(["labelled", "project"]);
      expect(await ids({ tags: ["b", "a"] })).toEqual(["labelled"]);
      expect(await ids({ name: "über" })).toEqual(["labelled"]);
      expect(await ids({ query: "ab-7 REVIEW" })).toEqual(["labelled"]);
      expect(await ids({ workflowId: "w", agentId: "x" })).toEqual(["labelled"]);
      expect(await ids({ workflowId: "w", agentId: "y" })).toEqual([]);
      expect(await ids({ kind: "aside" })).toEqual(["aside"]);
      expect(await ids({ kind: "project" })).toEqual(["project"]);
      expect(await ids({ since: "2026-01-01T00:00:01Z" })).toEqual(["labelled", "project"]);
      expect(await ids({ since: "2026-01-01T00:00:01Z", until: "2026-01-01T00:00:01.000Z" })).toEqual(["labelled"]);
      expect(await ids({ sessionId: "s-plain", project: "/another" })).toEqual([]);
    }));

  it("lists the project it was opened in, unless another, all, or a session is requested", () =>
    at(async (place) => {
      for (const [project, sessionId] of [
        ["/one", "a"],
        ["/two", "b"],
        [null, "c"],
      ] as const) {
        const workrail = await place.open({ project });
        await workrail.saveCheckpoint({ sessionId, context: { sessionId } });
        await workrail.close();
      }
      const workrail = await place.open({ project: "/one" });
      const sessions = async (filter: object): Promise<readonly string[]> =>
        (await workrail.findCheckpoints(filter)).checkpoints.map(({ sessionId }) => sessionId).sort();
      expect(await sessions({})).toEqual(["a"]);
      expect(await sessions({ project: "/two" })).toEqual(["b"]);
      expect(await sessions({ project: null })).toEqual(["a", "b", "c"]);
      expect(await sessions({ sessionId: "b" })).toEqual(["b"]);
      await workrail.close();
    }));

  it("pins and unpins, and returns the outcome", () =>
    withStore(async (workrail) => {
      await workrail.saveCheckpoint({ sessionId: "session", context: { goal: 1, ["k".repeat(150)]: 2 } });
      const answer = { sessionId: "session", durability: workrail.durability };
      expect(await workrail.markCritical({ contextKey: "goal" })).toEqual({
        ...answer,
        status: "SUCCESS",
        message: '"goal" is critical in this session from now on.',
        criticalKeys: ["goal"],
      });
      expect(await workrail.markCritical({ contextKey: "goal" })).toMatchObject({ status: "SUCCESS", criticalKeys: ["goal"] });
      expect(await workrail.markCritical({ contextKey: "absent" })).toEqual({
        ...answer,
        status: "KEY_NOT_FOUND",
        message: 'The latest checkpoint has no key "absent". Save it first.',
        criticalKeys: ["goal"],
      });
      expect((await workrail.markCritical({ contextKey: "k".repeat(150) })).message).toBe(
        `"${"k".repeat(100)}..." is critical in this session from now on.`,
      );
      await workrail.saveCheckpoint({ sessionId: "session", context: { other: 1 } });
      expect(await workrail.markCritical({ contextKey: "goal", critical: false })).toMatchObject({
        status: "SUCCESS",
        message: '"goal" is no longer critical.',
        criticalKeys: ["k".repeat(150)],
      });
      expect(await workrail.markCritical({ contextKey: "goal", critical: false })).toMatchObject({
        status: "KEY_NOT_FOUND",
        message: '"goal" was not critical.',
      });
      expect(await workrail.markCritical({ contextKey: "__proto__" })).toMatchObject({ status: "KEY_NOT_FOUND" });
    }));

  it("keeps the order of simultaneous saves, in the session that the first of them created", () =>
    withStore(async (workrail) => {
      const saved = await Promise.all(Array.from({ length: 20 }, (_, step) => workrail.saveCheckpoint({ context: { step } })));
      expect(new Set(saved.map(({ sessionId }) => sessionId)).size).toBe(1);
      expect(saved.map(({ sessionReason }) => sessionReason)).toEqual(["fresh", ...Array<string>(19).fill("process")]);
      const { checkpoints } = await workrail.findCheckpoints({ project: null });
      expect(checkpoints.map(({ id }) => id)).toEqual(saved.map(({ checkpointId }) => checkpointId).reverse());
    }));

  it("continues the loaded session", () =>
    at(async (place) => {
      const before = await place.open();
      await before.saveCheckpoint({ sessionId: "mine", context: { step: 1 }, workflowId: "w" });
      await before.close();
      const workrail = await place.open();
      await workrail.loadCheckpoint({ sessionId: "mine" });
      expect(await workrail.saveCheckpoint({ context: { step: 2 } })).toMatchObject({ sessionId: "mine", sessionReason: "process" });
      expect(await workrail.markCritical({ contextKey: "step" })).toMatchObject({ sessionId: "mine", status: "SUCCESS" });
      await workrail.saveCheckpoint({ sessionId: "other", context: {} });
      expect((await refusalOf(workrail.markCritical({ contextKey: "step" }))).details["sessions"]).toEqual(["mine", "other"]);
      await workrail.close();
    }));

  it("derives the same session for the same start of a workflow in every process", () =>
    at(async (place) => {
      const sessions: string[] = [];
      for (const context of [{ a: 1, b: 2 }, { b: 2, a: 1 }, { a: 2 }]) {
        const workrail = await place.open();
        sessions.push((await workrail.saveCheckpoint({ workflowId: "w", context })).sessionId);
        await workrail.close();
      }
      expect(sessions[1]).toBe(sessions[0]);
      expect(sessions[2]).not.toBe(sessions[0]);
    }));

  it("removes the oldest checkpoints beyond the limit, and returns their number", () =>
    at(async (place) => {
      const workrail = await place.open({ limits: { maxCheckpoints: 2 } });
      const answers = [];
      for (const step of [1, 2, 3]) answers.push(await workrail.saveCheckpoint({ sessionId: "session", context: { step } }));
      expect(answers.map(({ pruned }) => pruned)).toEqual([undefined, undefined, 1]);
      expect((await workrail.findCheckpoints({ sessionId: "session" })).total).toBe(2);
      expect((await refusalOf(workrail.loadCheckpoint({ checkpointId: answers[0]?.checkpointId }))).code).toBe("CHECKPOINT_NOT_FOUND");
      await workrail.close();
    }));

  it("records the time of a load, at the latest when the store is closed", () =>
    at(async (place) => {
      const parts = foreseeable();
      const workrail = await place.open({ adapters: parts });
      const { checkpointId } = await workrail.saveCheckpoint({ sessionId: "session", context: { step: 1 } });
      parts.clock.set(new Date("2026-06-01T00:00:00.000Z"));
      await workrail.loadCheckpoint({ sessionId: "session" });
      await workrail.close();
      const again = await place.open();
      const { checkpoints, session } = await again.findCheckpoints({ sessionId: "session" });
      expect(checkpoints).toMatchObject([
        { id: checkpointId, createdAt: "2026-01-01T00:00:00.000Z", lastAccessedAt: "2026-06-01T00:00:00.000Z" },
      ]);
      expect(session?.lastAccessedAt).toBe("2026-06-01T00:00:00.000Z");
      await again.close();
    }));

  it("finishes running calls when it is closed, refuses later ones, and may be closed twice", () =>
    at(async (place) => {
      const workrail = await place.open();
      const saves = Array.from({ length: 10 }, (_, step) => workrail.saveCheckpoint({ sessionId: "session", context: { step } }));
      const [closing, closingAgain] = [workrail.close(), workrail.close()];
      expect((await refusalOf(workrail.saveCheckpoint({ sessionId: "session", context: { late: 1 } }))).details["reason"]).toBe("closed");
      await Promise.all([closing, closingAgain]);
      for (const refused of [
        workrail.loadCheckpoint({ sessionId: "session" }),
        workrail.findCheckpoints(),
        workrail.rebuildCatalog(),
        workrail.collectGarbage(),
      ]) {
        expect(await refusalOf(refused)).toMatchObject({ code: "STORAGE_UNAVAILABLE", details: { reason: "closed" } });
      }
      expect((await Promise.all(saves)).map(({ status }) => status)).toEqual(Array<string>(10).fill("SAVED"));
      await using again = await place.open();
      expect((await again.findCheckpoints({ sessionId: "session" })).total).toBe(10);
    }));

  it("is rebuilt first of all when its catalog was lost, and logs that", () =>
    at(async (place) => {
      const before = await place.open();
      const { checkpointId } = await before.saveCheckpoint(FULL);
      await before.markCritical({ contextKey: "goal" });
      const [metadata] = await before.listCheckpoints({ sessionId: "session" });
      await before.close();
      place.loseCatalog();
      const warnings: [string, unknown][] = [];
      const ignore = (): void => undefined;
      const log = {
        debug: ignore,
        info: ignore,
        error: ignore,
        warn: (message: string, fields?: object) => void warnings.push([message, fields]),
      };
      await using workrail = await place.open({ adapters: { log } });
      expect(await workrail.listCheckpoints({ sessionId: "session" })).toEqual([metadata]);
      expect((await workrail.loadCheckpoint({ checkpointId })).context).toEqual(FULL.context);
      expect(warnings).toEqual([
        [
          "the catalog was lost or damaged, and has been rebuilt from the files",
          { checkpoints: 1, sessions: 1, removedEarlier: 0, unreadable: [], notRebuilt: ["the audit log", "access times"] },
        ],
      ]);
      expect(await workrail.rebuildCatalog()).toMatchObject({ checkpoints: 1 });
    }));
});

describe("a store on disk", () => {
  // Windows does not allow deleting an open database.
  it.skipIf(process.platform === "win32")(
    "is rebuilt when its database disappears while it is open, by any next call (not on Windows)",
    () =>
      onDisk(async (place) => {
        await using workrail = await place.open();
        await workrail.saveCheckpoint({ sessionId: "session", context: { step: 1 } });
        removeCatalog(place.dataDir);
        expect(await workrail.saveCheckpoint({ sessionId: "session", context: { step: 2 } })).toMatchObject({ sessionId: "session" });
        expect((await workrail.loadCheckpoint({ sessionId: "session" })).context).toEqual({ step: 2 });
        expect((await workrail.findCheckpoints({ sessionId: "session" })).total).toBe(2);
        removeCatalog(place.dataDir);
        expect(await workrail.markCritical({ contextKey: "step" })).toMatchObject({ status: "SUCCESS" });
        removeCatalog(place.dataDir);
        expect(await workrail.collectGarbage()).toEqual({ blobs: 0, quarantined: 0, abandoned: 0 });
        expect((await workrail.loadCheckpoint({ sessionId: "session" })).context).toEqual({ step: 2 });
        expect((await workrail.findCheckpoints({ sessionId: "session" })).session?.criticalKeys).toEqual(["step"]);
      }),
  );

  it("is rebuilt when damage of its database is found after the store was opened", () =>
    onDisk(async (place) => {
      await using first = await place.open();
      await first.saveCheckpoint({ sessionId: "session", context: { step: 1 } });
      await first.close();
      const file = path.join(place.dataDir, "workrail.db");
      const database = new DatabaseSync(file);
      database.exec("UPDATE meta SET value = 0 WHERE name = 'checked_at'");
      const { rootpage } = database.prepare("SELECT rootpage FROM sqlite_master WHERE name = 'audit'").get() as { rootpage: number };
      database.close();
      const bytes = fs.readFileSync(file);
      fs.writeFileSync(file, bytes.fill(0, (rootpage - 1) * 1024, rootpage * 1024));
      const second = await place.open();
      await second.close();
      expect(fs.existsSync(`${file}.replaced-1`)).toBe(true);
      await using third = await place.open();
      expect((await third.loadCheckpoint({ sessionId: "session" })).context).toEqual({ step: 1 });
    }));

  it("is rebuilt when its database cannot be read", () =>
    onDisk(async (place) => {
      const before = await place.open();
      await before.saveCheckpoint({ sessionId: "session", context: { step: 1 } });
      await before.close();
      fs.writeFileSync(path.join(place.dataDir, "workrail.db"), "scribbled over ".repeat(1_000));
      await using workrail = await place.open();
      expect((await workrail.loadCheckpoint({ sessionId: "session" })).context).toEqual({ step: 1 });
      expect(fs.existsSync(path.join(place.dataDir, "workrail.db.replaced-1"))).toBe(true);
    }));

  it("is in the stated directory, as plain files that can be read without it", () =>
    onDisk(async (place) => {
      await using workrail = await place.open();
      expect(workrail.dataDir).toBe(place.dataDir);
      const { blobPath } = await workrail.saveCheckpoint(FULL);
      const text = gunzipSync(fs.readFileSync(path.join(place.dataDir, blobPath))).toString("utf8");
      expect(JSON.parse(text)).toMatchObject({ workrail: 1, context: FULL.context });
    }));

  it("keeps a line in its audit log for every change and every load", () =>
    onDisk(async (place) => {
      const workrail = await place.open({ limits: { maxCheckpoints: 1 }, adapters: foreseeable() });
      const { checkpointId: first } = await workrail.saveCheckpoint({ sessionId: "session", context: { step: 1 } });
      await workrail.markCritical({ contextKey: "step" });
      await workrail.markCritical({ contextKey: "step", critical: false });
      const { checkpointId: second } = await workrail.saveCheckpoint({ sessionId: "session", context: { step: 2 } });
      await workrail.saveCheckpoint({ sessionId: "session", context: { step: 2 } });
      await workrail.loadCheckpoint({ sessionId: "session" });
      await workrail.close();
      // Pinning reads the latest context, which counts as a load.
      expect(readAudit(place.dataDir).map(({ action, checkpoint_id }) => [action, checkpoint_id])).toEqual([
        ["save", first],
        ["pin", null],
        ["unpin", null],
        ["prune", first],
        ["save", second],
        ["load", first],
        ["load", second],
      ]);
    }));

  it("finishes pending removals of an earlier process at its start", () =>
    onDisk(async (place) => {
      const unlinkSoon = async (file: string): Promise<void> => {
        throw Object.assign(new Error(`EBUSY: ${file}`), { code: "EBUSY" });
      };
      const storage = ({ dataDir }: Settings) => openSqliteFs({ dataDir, fs: { ...nodeFileSystem, unlinkSoon } });
      const workrail = await place.open({ limits: { maxCheckpoints: 1 }, adapters: { storage } });
      const { blobPath } = await workrail.saveCheckpoint({ sessionId: "session", context: { step: 1 } });
      await workrail.saveCheckpoint({ sessionId: "session", context: { step: 2 } });
      await workrail.close();
      expect(fs.existsSync(path.join(place.dataDir, blobPath))).toBe(true);
      await (await place.open()).close();
      expect(fs.existsSync(path.join(place.dataDir, blobPath))).toBe(false);
    }));
});
