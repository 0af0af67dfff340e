import { randomBytes } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { SteppingClock } from "@workrail/storage-conformance/builders";
import { describe, expect, it, vi } from "vitest";
import type { AuditLogEntry } from "../src/audit-log.ts";
import { changeSetting } from "../src/config/change-setting.ts";
import { rekeyStore, rekeyStoreDeeply, sealStore, unsealStore } from "../src/sealing/seal-store.ts";
import type { Workrail } from "../src/workrail.ts";
import { KINDS, onDisk, type Place, refusalOf } from "./stores.ts";

const SECRET = "planted-7q3z9k2v5x-secret";
const DAY = 86_400_000;

/** Runs every call that writes an audit row, with a secret in each field that takes text. */
async function useAll(workrail: Workrail, dataDir: string): Promise<void> {
  const save = (step: number, agentId?: string) =>
    workrail.saveCheckpoint({
      sessionId: "s",
      context: { [`${SECRET}-key`]: `${SECRET} ${step}` },
      metadata: { name: `${SECRET} name`, tags: [`${SECRET}-tag`] },
      agentId,
    });
  const { checkpointId: first } = await save(1, "ada");
  const { checkpointId: second } = await save(2);
  await save(3);
  await workrail.loadCheckpoint({ checkpointId: first });
  await workrail.markCritical({ sessionId: "s", contextKey: `${SECRET}-key` });
  await workrail.tagSession({ sessionId: "s", add: [`${SECRET}-label`] });
  await workrail.cleanUp({ sessionId: "s", keepLast: 2 });
  await workrail.restoreFromTrash({ sessionId: "s" });
  await workrail.deleteCheckpoint({ checkpointId: second });
  await workrail.cleanUp();
  const file = path.join(dataDir, "..", "export.json");
  await workrail.exportSession("s", { file });
  await workrail.backup(path.join(dataDir, "..", "backup"));
}

const ALL = ["save", "load", "pin", "tag", "trash", "restore", "delete", "clean-up", "export", "backup"];

async function rowsOf(workrail: Workrail): Promise<readonly AuditLogEntry[]> {
  const text: string[] = [];
  for await (const piece of workrail.auditText()) text.push(piece);
  return text
    .join("")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as AuditLogEntry);
}

function openOn(place: Place, day: number): Promise<Workrail> {
  return place.open({ adapters: { clock: new SteppingClock(new Date(Date.UTC(2026, 0, 1) + day * DAY)) } });
}

describe.each(KINDS)("the audit log of a store in $kind", ({ kind, at }) => {
  it("is listed newest first, page by page, by session, action and time", () =>
    at(async (place) => {
      const workrail = await openOn(place, 0);
      for (const sessionId of ["a", "b", "a"])
        await workrail.saveCheckpoint({ sessionId, context: { sessionId }, force: true, agentId: "ada" });
      const { checkpointId } = await workrail.loadCheckpoint({ sessionId: "b" });
      const { entries, next } = await workrail.auditLog({ limit: 2 });
      expect(entries).toMatchObject([
        { number: 4, action: "load", sessionId: "b", checkpointId, at: expect.stringMatching(/^2026-01-01T/u) as string },
        { number: 3, action: "save", sessionId: "a", agentId: "ada", digest: expect.stringMatching(/^[0-9a-f]{32}$/u) as string },
      ]);
      const numbers = async (params: Parameters<Workrail["auditLog"]>[0]) =>
        (await workrail.auditLog(params)).entries.map(({ number }) => number);
      expect(await numbers({ before: next })).toEqual([2, 1]);
      expect(await numbers({ sessionId: "a", actions: ["save"] })).toEqual([3, 1]);
      expect(await numbers({ since: "2027-01-01" })).toEqual([]);
      expect((await refusalOf(workrail.auditLog({ actions: ["sav"] }))).details).toEqual({ field: "actions" });
      expect((await refusalOf(workrail.auditLog({ limit: 0 }))).details).toEqual({ field: "limit" });
      expect((await refusalOf(workrail.auditLog({ until: "soon" }))).details).toEqual({ field: "until" });
      expect((await refusalOf(workrail.verifyAuditLog({ expected: "7" }))).details).toEqual({ field: "expected" });
      await workrail.close();
    }));

  it("is verified, restarts with a rebuild, and records that", () =>
    at(async (place) => {
      const workrail = await place.open();
      await workrail.saveCheckpoint({ sessionId: "s", context: { step: 1 } });
      const { head } = await workrail.verifyAuditLog();
      expect(head).toMatch(/^1:[0-9a-f]{32}$/u);
      await workrail.saveCheckpoint({ sessionId: "s", context: { step: 2 } });
      expect(await workrail.verifyAuditLog({ expected: head })).toMatchObject({ rows: 2, findings: [], isKeyed: false, isComplete: true });
      await workrail.rebuildCatalog();
      expect(await workrail.verifyAuditLog({ expected: head })).toMatchObject({
        rows: 1,
        first: { number: 1, action: "rebuild" },
        findings: [{ kind: "not-as-noted", number: 1 }],
      });
      await workrail.close();
    }));

  it("drops rows older than its setting, and is still a valid chain", () =>
    at(async (place) => {
      const first = await openOn(place, 0);
      for (let step = 1; step <= 3; step++) await first.saveCheckpoint({ sessionId: "s", context: { step } });
      const { head } = await first.verifyAuditLog();
      await first.close();
      const later = await openOn(place, 20);
      await later.saveCheckpoint({ sessionId: "s", context: { step: 4 } });
      await later.cleanUp();
      expect((await later.verifyAuditLog({ expected: head })).first).toMatchObject({ number: 1 });
      await later.close();
      const last = await openOn(place, 370);
      await last.cleanUp({ dryRun: true });
      expect((await last.verifyAuditLog()).first).toMatchObject({ number: 1 });
      await last.cleanUp();
      expect(await last.verifyAuditLog({ expected: head })).toMatchObject({ first: { number: 4, action: "save" }, findings: [] });
      expect((await last.auditLog({ actions: ["audit-cut"] })).entries).toMatchObject([
        { reason: expect.stringMatching(/^through 3 /u) as string },
      ]);
      await last.close();
    }));

  it("records all actions, and never their content", () =>
    onDisk(async ({ dataDir }) => {
      await at(async (place) => {
        const workrail = await openOn(place, 0);
        await useAll(workrail, dataDir);
        const rows = await rowsOf(workrail);
        const actions = new Set(rows.map(({ action }) => action));
        expect(ALL.filter((action) => !actions.has(action as AuditLogEntry["action"]))).toEqual([]);
        expect(JSON.stringify(rows)).not.toContain(SECRET);
        expect(rows.at(-1)).toMatchObject({ action: "export", reason: "audit-log" });
        expect(rows.map(({ number }) => number)).toEqual(rows.map((_, index) => index + 1));
        expect((await workrail.verifyAuditLog()).findings).toEqual([]);
        expect(kind).toBeDefined();
        await workrail.close();
      });
    }));
});

describe("the audit log of a store that is sealed", () => {
  const KEY = randomBytes(32).toString("base64");
  const env = { WORKRAIL_ENCRYPTION_KEY: KEY };

  it("stays valid when the store is sealed, rekeyed and opened again, and records it", () =>
    onDisk(async (place) => {
      const { dataDir } = place;
      const clear = await place.open();
      await clear.saveCheckpoint({ sessionId: "s", context: { step: 1 }, agentId: "ada" });
      await clear.close();
      await sealStore({ dataDir, env });
      const sealed = await place.open({ env });
      await sealed.saveCheckpoint({ sessionId: "s", context: { step: 2 }, agentId: "ada" });
      expect(await sealed.verifyAuditLog()).toMatchObject({ rows: 3, isKeyed: true, unchained: 0, findings: [] });
      expect((await rowsOf(sealed)).map(({ action, agentId }) => [action, agentId])).toEqual([
        ["save", "ada"],
        ["seal", undefined],
        ["save", "ada"],
        ["export", undefined],
      ]);
      const file = path.join(dataDir, "..", "audit.jsonl");
      expect((await refusalOf(sealed.exportAuditLog(file))).code).toBe("PLAINTEXT_REFUSED");
      await sealed.close();
      const keyFile = path.join(dataDir, "..", "key");
      fs.writeFileSync(keyFile, randomBytes(32).toString("base64"), { mode: 0o600 });
      await rekeyStore({ keyFile }, { dataDir, env });
      const withKeyFile = { WORKRAIL_ENCRYPTION_KEY_FILE: keyFile };
      const otherFile = path.join(dataDir, "..", "other-key");
      fs.writeFileSync(otherFile, randomBytes(32).toString("base64"), { mode: 0o600 });
      await rekeyStoreDeeply({ keyFile: otherFile }, { dataDir, env: withKeyFile });
      const withOtherFile = { WORKRAIL_ENCRYPTION_KEY_FILE: otherFile };
      const anew = await place.open({ env: withOtherFile });
      expect(await anew.verifyAuditLog()).toMatchObject({ rows: 6, isKeyed: true, findings: [] });
      await anew.close();
      await unsealStore({ dataDir, env: withOtherFile });
      const again = await place.open();
      expect((await again.auditLog()).entries.map(({ action }) => action)).toEqual([
        "unseal",
        "rekey",
        "rekey",
        "export",
        "save",
        "seal",
        "save",
      ]);
      expect(await again.verifyAuditLog()).toMatchObject({ rows: 7, isKeyed: false, findings: [] });
      const written = await again.exportAuditLog(file, { actions: ["save"] });
      expect(fs.readFileSync(written.file, "utf8").trimEnd().split("\n")).toHaveLength(2);
      expect((await refusalOf(again.exportAuditLog(file))).code).toBe("INVALID_INPUT");
      await again.close();
    }));

  it("records a failed replacement of the key", () =>
    onDisk(async (place) => {
      const { dataDir } = place;
      await sealStore({ dataDir, env });
      const keyFile = path.join(dataDir, "..", "no-such-key");
      expect((await refusalOf(rekeyStore({ keyFile }, { dataDir, env }))).code).toBe("KEY_UNAVAILABLE");
      expect((await refusalOf(rekeyStoreDeeply({ keyFile }, { dataDir, env }))).code).toBe("KEY_UNAVAILABLE");
      const sealed = await place.open({ env });
      const rows = (await rowsOf(sealed)).map(({ action, reason }) => [action, reason]);
      expect(rows.filter(([action]) => action === "rekey")).toEqual([
        ["rekey", undefined],
        ["rekey", "failed"],
      ]);
      expect((await sealed.verifyAuditLog()).findings).toEqual([]);
      await sealed.close();
    }));

  it("detects a row that was changed without the key, also after the store is opened again", () =>
    onDisk(async (place) => {
      const { dataDir } = place;
      await sealStore({ dataDir, env });
      const sealed = await place.open({ env });
      for (let step = 1; step <= 3; step++) await sealed.saveCheckpoint({ sessionId: "s", context: { step } });
      await sealed.close();
      const database = new DatabaseSync(path.join(dataDir, "workrail.db"));
      database.exec("UPDATE audit SET at = at + 1 WHERE id = 2");
      database.close();
      const looked = await place.open({ env });
      expect(await looked.verifyAuditLog()).toMatchObject({ findings: [{ kind: "changed", number: 2 }] });
      await looked.close();
      await unsealStore({ dataDir, env });
      const again = await place.open();
      expect((await again.auditLog({ limit: 1 })).entries).toMatchObject([{ action: "unseal", reason: "the chain was broken at 2" }]);
      await again.close();
    }));
});

describe("a changed setting", () => {
  it("is named in the audit log of its store, never with its value", () =>
    onDisk(async (place) => {
      const sources = { env: {}, dataDir: place.dataDir };
      expect(await changeSetting(sources, "retentionDays", "40")).toMatchObject({ isLogged: false, value: 40 });
      expect(fs.readdirSync(place.dataDir)).toEqual(["config.json"]);
      await (await place.open()).close();
      expect(await changeSetting(sources, "condenserModel", SECRET)).toMatchObject({ isLogged: true });
      expect(await changeSetting(sources, "condenserModel", undefined)).toMatchObject({ isLogged: true });
      await expect(changeSetting(sources, "condenserModl", "x")).rejects.toMatchObject({ code: "INVALID_INPUT" });
      const workrail = await place.open();
      const { entries } = await workrail.auditLog();
      expect(entries.map(({ action, reason }) => [action, reason])).toEqual([
        ["configure", "condenserModel"],
        ["configure", "condenserModel"],
      ]);
      expect(JSON.stringify(entries)).not.toContain(SECRET);
      await workrail.close();
    }));

  it("is recorded as failed when it could not be written", () =>
    onDisk(async (place) => {
      const sources = { env: {}, dataDir: place.dataDir };
      await (await place.open()).close();
      const { renameSync } = fs;
      const rename = vi.spyOn(fs, "renameSync").mockImplementation((from, to) => {
        if (String(to).endsWith("config.json")) throw Object.assign(new Error("EROFS"), { code: "EROFS" });
        renameSync(from, to);
      });
      await expect(changeSetting(sources, "retentionDays", "40")).rejects.toThrow("EROFS");
      rename.mockRestore();
      expect(fs.existsSync(path.join(place.dataDir, "config.json"))).toBe(false);
      const workrail = await place.open();
      const { entries } = await workrail.auditLog();
      expect(entries.map(({ action, reason }) => [action, reason])).toEqual([
        ["configure", "retentionDays, failed"],
        ["configure", "retentionDays"],
      ]);
      await workrail.close();
    }));

  it("is changed even when its store cannot be opened, and that is reported", () =>
    onDisk(async (place) => {
      const env = { WORKRAIL_ENCRYPTION_KEY: randomBytes(32).toString("base64") };
      await sealStore({ dataDir: place.dataDir, env });
      const changed = await changeSetting({ env: {}, dataDir: place.dataDir }, "retentionDays", "40");
      expect(changed).toMatchObject({ isLogged: false, notLogged: { code: "KEY_UNAVAILABLE" }, value: 40 });
      // A setting that prevents opening the store can be corrected.
      fs.writeFileSync(path.join(place.dataDir, "config.json"), '{ "retentionDays": -5 }');
      expect(await changeSetting({ env, dataDir: place.dataDir }, "retentionDays", "30")).toMatchObject({
        notLogged: { code: "INVALID_INPUT" },
        holds: { value: 30 },
      });
      expect(await changeSetting({ env, dataDir: place.dataDir }, "retentionDays", "31")).toMatchObject({ isLogged: true });
      // Logging a change must not seal a store that the next opening is to seal.
      const workrail = await place.open({ env });
      expect((await workrail.verifyAuditLog()).findings).toEqual([]);
      await workrail.close();
    }));
});
