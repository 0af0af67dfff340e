import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { DATABASE } from "@workrail/blob-files";
import type { AuditAction, AuditEvent, CheckpointId, SessionId } from "@workrail/core";
import type { StorageHarness } from "@workrail/storage-conformance/harness";
import { loadSqliteDriver } from "../src/load-sqlite-driver.ts";
import { openSqliteFs } from "../src/open-sqlite-fs.ts";
import type { SqliteDriverName } from "../src/sqlite-driver.ts";

/** Long enough for a busy machine, short enough for the tests that expect a refusal. */
export const lockWaitMs = 2_000;

/** A harness over one driver; `module` is the one that exports it. */
export function harnessOver(driver: SqliteDriverName, module: string): StorageHarness {
  return {
    name: `sqlite-fs on ${driver}`,
    module,
    capabilities: { persistent: true, manyOpeners: true, seesBlobs: true },
    create: () => mkdtemp(path.join(tmpdir(), "workrail-sqlite-fs-")),
    open: (dataDir) => openSqliteFs({ dataDir, lockWaitMs, driver }),
    destroy: (dataDir) => rm(dataDir, { recursive: true, force: true }),
    async loseCatalog(dataDir) {
      for (const name of await readdir(dataDir)) if (name.startsWith(DATABASE)) await rm(path.join(dataDir, name));
    },
    async readAudit(dataDir) {
      const database = loadSqliteDriver(driver).open(path.join(dataDir, DATABASE), 1_000);
      try {
        return (database.prepare("SELECT * FROM audit ORDER BY id").all() as readonly AuditRow[]).map(eventOf);
      } finally {
        database.close();
      }
    },
  };
}

interface AuditRow {
  readonly at: number;
  readonly action: AuditAction;
  readonly session_id: SessionId | null;
  readonly checkpoint_id: CheckpointId | null;
  readonly agent_id: string | null;
  readonly reason: string | null;
}

function eventOf(row: AuditRow): AuditEvent {
  return {
    at: new Date(row.at),
    action: row.action,
    sessionId: row.session_id ?? undefined,
    checkpointId: row.checkpoint_id ?? undefined,
    agentId: row.agent_id ?? undefined,
    ...(row.reason === null ? {} : { reason: row.reason }),
  };
}
