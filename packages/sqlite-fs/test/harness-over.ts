import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { DATABASE } from "@workrail/blob-files";
import type { StorageHarness } from "@workrail/storage-conformance/harness";
import { openSqliteFs } from "../src/open-sqlite-fs.ts";
import type { SqliteDriverName } from "../src/sqlite-driver.ts";

/** Saves beside many others: on a slow disk each waits for long, and may not give up. */
const isWorker = path.basename(process.argv[1] ?? "") === "worker.ts";
/** Long enough for a busy machine, short enough for the tests that expect a refusal. */
export const lockWaitMs = isWorker ? 60_000 : 2_000;

/** A harness over one driver; `module` is the one that exports it. */
export function harnessOver(driver: SqliteDriverName, module: string): StorageHarness {
  return {
    name: `sqlite-fs on ${driver}`,
    module,
    capabilities: { persistent: true, manyOpeners: true, seesBlobs: true },
    create: () => mkdtemp(path.join(tmpdir(), "workrail-sqlite-fs-")),
    open: (dataDir) => openSqliteFs({ dataDir, lockWaitMs, driver }),
    destroy: (dataDir) => rm(dataDir, { recursive: true, force: true, maxRetries: 3 }),
    async loseCatalog(dataDir) {
      for (const name of await readdir(dataDir)) if (name.startsWith(DATABASE)) await rm(path.join(dataDir, name));
    },
  };
}
