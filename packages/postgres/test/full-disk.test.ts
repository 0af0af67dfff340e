import { randomBytes, randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import {
  createTeamDatabase,
  fillLevels,
  HAS_SMALL_DISK,
  noPostgres,
  type PostgresServer,
  SmallDisk,
  startPostgres,
  tally,
} from "@workrail/faults";
import { type ChainedStorage, chained, type CheckpointId, isWorkrailError, type SessionId, verifyAudit } from "@workrail/core";
import { migrate, openPostgres } from "@workrail/postgres";
import { sha256 } from "@workrail/storage-conformance/harness";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { saveRecord } from "./a-record.ts";

const SIZE = "96m";
const BLOB_BYTES = 50_000;
/** More than fit on the disk. */
const MOST_SAVES = 2_000;

const missing = HAS_SMALL_DISK ? noPostgres() : "mounting needs root on Linux";

describe.skipIf(missing !== undefined)(`a database on a full disk${missing === undefined ? "" : `: not run, ${missing}`}`, () => {
  const directory = mkdtempSync(path.join(os.tmpdir(), "workrail-full-"));
  let disk: SmallDisk | undefined;
  let server: PostgresServer | undefined;
  let url = "";

  beforeAll(async () => {
    disk = SmallDisk.mount(directory, SIZE);
    if (disk === undefined) return;
    server = await startPostgres({ isDurable: true, disk: directory });
    const { owner, user } = await createTeamDatabase(server);
    url = user;
    await migrate(owner);
  });
  afterAll(async () => {
    await server?.destroy();
    disk?.unmount();
    rmSync(directory, { recursive: true, force: true });
  });

  it.for(fillLevels(2).map((level) => [level] as const))(
    "with %i bytes left refuses saves, loses none and goes on when there is room",
    async ([level], { skip }) => {
      if (disk === undefined || server === undefined) return skip("mounting is not allowed here");
      const open = async (): Promise<ChainedStorage> =>
        chained(await openPostgres({ url, retryMs: 0, tenant: `at ${level}` }), (text) => sha256.sha256(text));
      const session = randomUUID() as SessionId;
      const acknowledged: CheckpointId[] = [];
      const unknown: CheckpointId[] = [];
      const save = async (storage: ChainedStorage): Promise<void> => {
        const id = randomUUID() as CheckpointId;
        try {
          await saveRecord(storage, session, { id, bytes: randomBytes(BLOB_BYTES) });
          acknowledged.push(id);
        } catch (error) {
          if (isWorkrailError(error) && error.details["outcome"] === "unknown") unknown.push(id);
          throw error;
        }
      };
      const storage = await open();
      await save(storage);
      disk.leaveAbout(level);
      const failures = new Set<unknown>();
      for (let at = 0; at < MOST_SAVES && failures.size === 0; at++) {
        await save(storage).catch((error: unknown) => failures.add(isWorkrailError(error) ? error.code : error));
      }
      for (let at = 0; at < 5; at++)
        await save(storage).catch((error: unknown) => failures.add(isWorkrailError(error) ? error.code : error));
      expect([...failures]).toEqual(["STORAGE_UNAVAILABLE"]);
      disk.makeRoom();
      await storage.close();
      await server.kill();
      await server.start();

      const after = await open();
      await save(after);
      const where = { state: "any", sessionId: session } as const;
      const { rows } = await after.catalog.read({ rows: { of: "checkpoints", where, order: "oldest", limit: MOST_SAVES } });
      const there = new Set(rows.map(({ record }) => record.id));
      const lost = acknowledged.filter((id) => !there.has(id));
      const wrong = [...there].filter((id) => !acknowledged.includes(id) && !unknown.includes(id));
      const blobs = await Promise.all(rows.map(({ record }) => after.blobs.get(record.blob)));
      const dangling = blobs.filter((bytes) => bytes?.length !== BLOB_BYTES).length;
      tally({ tries: 1, acknowledged: acknowledged.length, lost: lost.length, wrong: wrong.length, dangling });
      expect({ lost, wrong, dangling }).toEqual({ lost: [], wrong: [], dangling: 0 });
      expect(rows.map(({ record }) => record.sequence)).toEqual(rows.map((_, index) => index + 1));
      expect((await verifyAudit(after)).findings).toEqual([]);
      await after.close();
    },
  );
});
