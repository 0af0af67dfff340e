import { once } from "node:events";
import { expectSound } from "./catalog-checks.ts";
import { named } from "./node-sqlite-driver.ts";
import type { SqliteDriverName } from "./sqlite-driver.ts";

/** Text, because a program that is bundled into one file has no other file to run. Both drivers' databases can do this. */
const THREAD = `
  const { parentPort, workerData } = require("node:worker_threads");
  const library = require("node:module").createRequire(workerData.from)(workerData.driver);
  const database = new (library.DatabaseSync ?? library)(workerData.file);
  let answer;
  try {
    database.exec("PRAGMA busy_timeout = 5000; PRAGMA query_only = 1");
    answer = { rows: database.prepare("PRAGMA integrity_check(1)").all().map((row) => ({ ...row })) };
  } catch ({ message, code, errcode }) {
    answer = { message, code, errcode };
  }
  database.close();
  parentPort.postMessage(answer);`;

interface Answer {
  readonly rows?: readonly unknown[];
  readonly message?: string;
  readonly code?: string;
  readonly errcode?: number;
}

/**
 * Reads through a whole database, and compares its tables with their indexes, in a thread of its own, so that the others go on.
 *
 * @throws an error with the code SQLITE_CORRUPT, or another of SQLite's, when it is damaged.
 */
export async function checkInThread(file: string, driver: SqliteDriverName): Promise<void> {
  // Seldom needed, and loaded in a millisecond or two that every opening would take.
  const { Worker } = await import("node:worker_threads");
  const worker = new Worker(THREAD, { eval: true, workerData: { file, driver, from: import.meta.url } });
  try {
    const [{ rows, message, ...codes }] = (await once(worker, "message")) as [Answer];
    if (rows === undefined) throw Object.assign(new Error(message), codes);
    expectSound(rows);
  } catch (error) {
    named(() => {
      throw error;
    });
  } finally {
    await worker.terminate();
  }
}
