import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { DATABASE } from "@workrail/blob-files";
import type { StorageHarness } from "@workrail/storage-conformance/harness";
import { openSqliteFs } from "../src/open-sqlite-fs.ts";
import type { SqliteDriverName } from "../src/sqlite-driver.ts";

/** True in a worker, which saves beside many other processes. On a slow disk it waits long and must not give up. */
const isWorker = path.basename(process.argv[1] ?? "") === "worker.ts";
/** Wait for locks: long enough for a busy machine, short enough for tests that expect a refusal. */
export const lockWaitMs = isWorker ? 60_000 : 2_000;

/** Makes a harness with one driver; `module` is the module that exports the harness. */
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
