import { createHmac, hash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { type AuditFinding, chained, linked, type LoggedEvent, placeOf, type Storage, verifyAudit } from "@workrail/core";
import { describe, expect, it } from "vitest";
import type { SqliteDatabase } from "../src/sqlite-driver.ts";
import { Child } from "./child-process.ts";
import { openDatabase } from "./open-database.ts";
import { planOf } from "./plan-of.ts";
import { proveFiles } from "./prove-files.ts";
import { PATIENT, SESSION, withDirectory, withOpened } from "./test-store.ts";

const FIXTURE = fileURLToPath(new URL("./fixtures/schema-1", import.meta.url));
const sha256 = (text: string): string => hash("sha256", text, "hex");
const keyed = (text: string): string => createHmac("sha256", "the store's key").update(text).digest("hex");

describe("the audit log in SQLite", () => {
  it.each<[string, string, readonly AuditFinding[]]>([
    ["a text that was changed", "UPDATE audit SET agent_id = 'somebody else' WHERE id = 3", [{ kind: "changed", number: 3 }]],
    ["a time that was changed", "UPDATE audit SET at = at + 1 WHERE id = 1", [{ kind: "changed", number: 1 }]],
    ["a row that was removed", "DELETE FROM audit WHERE id = 4", [{ kind: "missing", number: 4, through: 4 }]],
    ["the first rows removed", "DELETE FROM audit WHERE id < 4", [{ kind: "missing", number: 1, through: 3 }]],
    [
      "two rows that changed places",
      "UPDATE audit SET id = 99 WHERE id = 3; UPDATE audit SET id = 3 WHERE id = 4; UPDATE audit SET id = 4 WHERE id = 99",
      [3, 4, 5].map((number) => ({ kind: "changed", number }) as const),
    ],
    [
      "a digest that was taken away",
      "UPDATE audit SET digest = NULL WHERE id = 5",
      [
        { kind: "unchained", number: 5 },
        { kind: "changed", number: 6 },
      ],
    ],
    [
      "a row that was put in between",
      `UPDATE audit SET id = id + 1000 WHERE id > 3; UPDATE audit SET id = id - 999 WHERE id > 1000;
       INSERT INTO audit SELECT 4, at, 'export', session_id, checkpoint_id, agent_id, reason, digest, subject FROM audit WHERE id = 3`,
      [...[4, 5, 6, 7].map((number) => ({ kind: "changed", number }) as const), { kind: "not-as-noted", number: 6 }],
    ],
  ])("shows %s from outside", (_, sql, findings) =>
    withSaved(6, async (dataDir) => {
      tamper(dataDir, (database) => database.exec(sql));
      await withOpened(dataDir, async ({ storage }) => {
        expect(await verifyAudit(storage)).toMatchObject({ findings, findingCount: findings.length });
      });
    }),
  );

  it("detects by the commit mark that the whole log was rechained", () =>
    withSaved(3, async (dataDir) => {
      tamper(dataDir, (database) => database.exec("UPDATE audit SET agent_id = 'x' WHERE id = 2"));
      await withOpened(dataDir, async ({ storage }) => {
        const rows = await storage.catalog.auditLog({ first: "oldest" });
        tamper(dataDir, (database) => {
          let place = placeOf(rows[0] as LoggedEvent);
          for (const row of rows.slice(1)) {
            const again = linked(row, place, sha256);
            place = placeOf(again);
            database.prepare("UPDATE audit SET digest = ? WHERE id = ?").run(Buffer.from(place.digest, "hex"), row.number);
          }
        });
        expect(await verifyAudit(storage)).toMatchObject({ findings: [{ kind: "not-as-noted", number: 3 }] });
      });
    }));

  it("shows a forged row to the holder of the key, even with a valid keyless chain", () =>
    withDirectory(async (directory) => {
      const dataDir = path.join(directory, "data");
      const wrap = (storage: Storage): Storage => chained(storage, keyed, { isKeyed: true });
      await withOpened(
        dataDir,
        async (store) => {
          await store.save({ number: 1 });
          await store.save({ number: 2 });
          expect(await verifyAudit(store.storage)).toMatchObject({ isKeyed: true, findings: [] });
        },
        { wrap },
      );
      tamper(dataDir, (database) => {
        const [row] = database.prepare("SELECT * FROM audit WHERE id = 2").all() as readonly { digest: Uint8Array }[];
        const place = { number: 2, digest: Buffer.from(row?.digest ?? []).toString("hex") };
        const event = { at: new Date(0), action: "export", sessionId: undefined, checkpointId: undefined, agentId: undefined } as const;
        const forged = Buffer.from(placeOf(linked(event, place, sha256)).digest, "hex");
        database.prepare("INSERT INTO audit (id, at, action, digest) VALUES (3, 0, 'export', ?)").run(forged);
      });
      await withOpened(
        dataDir,
        async ({ storage }) => {
          expect(await verifyAudit(storage)).toMatchObject({ findings: [{ kind: "changed", number: 3 }] });
        },
        { wrap },
      );
    }));

  it("begins its chain after the rows of an older schema, and reports those as unproven", () =>
    withDirectory(async (directory) => {
      const dataDir = path.join(directory, "data");
      fs.cpSync(FIXTURE, dataDir, { recursive: true });
      await withOpened(dataDir, async (store) => {
        const { rows } = await verifyAudit(store.storage);
        expect(rows).toBeGreaterThan(10);
        expect(await verifyAudit(store.storage)).toMatchObject({ unchained: rows, findings: [] });
        await store.save({ number: 11 });
        await store.save({ number: 12 });
        expect(await verifyAudit(store.storage)).toMatchObject({ rows: rows + 2, unchained: rows, findings: [] });
        tamper(dataDir, (database) => database.exec(`UPDATE audit SET digest = NULL WHERE id = ${rows + 1}`));
        expect((await verifyAudit(store.storage)).findings).not.toEqual([]);
      });
    }));

  it("identifies its database for the commit mark, even when its first rows were cut off", () =>
    withSaved(4, async (dataDir) => {
      const [file, copy] = [path.join(dataDir, "workrail.db"), path.join(dataDir, "copy.db")];
      fs.copyFileSync(file, copy);
      await withOpened(dataDir, async ({ storage }) => {
        expect(await storage.catalog.cutAudit({ before: new Date(Date.now() + 1_000), at: new Date(), limit: 3 })).toBe(3);
      });
      fs.copyFileSync(copy, file);
      await withOpened(dataDir, async (store) => {
        expect(await store.storage.recovery.needsRebuild()).toBe(true);
      });
    }));

  it("finds rare actions by a partial index", () =>
    withSaved(3, async (dataDir) => {
      const plans: string[] = [];
      tamper(dataDir, (database) => {
        const rare = [
          { actions: ["backup"], limit: 1 },
          { actions: ["trash", "delete"], at: new Date(0) },
        ] as const;
        for (const query of rare) plans.push(planOf(database, { of: "audit", query }).join("; "));
      });
      expect(plans).toEqual([expect.stringContaining("audit_rare (action=?"), expect.stringContaining("audit_rare (action=? AND at=?")]);
    }));

  it("stays one chain while processes save, prune, cut it and are killed", () =>
    withDirectory(async (directory) => {
      const dataDir = path.join(directory, "data");
      const writers = ["a", "b", "c"].map((writer) =>
        Child.start({ type: "save", dataDir, writer, sessions: [SESSION, "pruned"], most: 1_000 }),
      );
      await Promise.all(writers.map((child) => child.told(12)));
      await withOpened(
        dataDir,
        async ({ storage }) => {
          expect((await verifyAudit(storage)).findings).toEqual([]);
          await writers[0]?.kill();
          expect(await storage.catalog.cutAudit({ before: new Date(Date.now() + 60_000), at: new Date(), limit: 7 })).toBe(7);
          await writers[1]?.kill();
          await writers[2]?.kill();
          expect(await verifyAudit(storage)).toMatchObject({ unchained: 0, findings: [], first: { number: 8 } });
        },
        PATIENT,
      );
    }));

  it("passes a verifier that follows only the documentation", () =>
    withSaved(5, async (dataDir) => expect(proveFiles(dataDir).contexts.size).toBe(5)));
});

function withSaved(saves: number, test: (dataDir: string) => Promise<void>): Promise<void> {
  return withDirectory(async (directory) => {
    const dataDir = path.join(directory, "data");
    await withOpened(dataDir, async (store) => {
      for (let number = 1; number <= saves; number++) await store.save({ number }, { agentId: `agent ${number}` });
    });
    await test(dataDir);
  });
}

function tamper(dataDir: string, harm: (database: SqliteDatabase) => unknown): void {
  const database = openDatabase(path.join(dataDir, "workrail.db"), 5_000);
  try {
    harm(database);
  } finally {
    database.close();
  }
}
