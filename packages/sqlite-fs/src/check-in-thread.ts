import { once } from "node:events";
import { expectSound } from "./catalog-checks.ts";
import { derivedDamaged, WRONG } from "./discrepancies.ts";
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
    const [row] = database.prepare("PRAGMA integrity_check(1)").all();
    const isWrong = workerData.wrong.some((sql) => database.prepare(sql).get() !== undefined);
    answer = { row: { ...row }, isWrong };
  } catch ({ message, code, errcode }) {
    answer = { message, code, errcode };
  }
  database.close();
  parentPort.postMessage(answer);`;

interface Answer {
  readonly row?: unknown;
  readonly isWrong?: boolean;
  readonly message?: string;
  readonly code?: string;
  readonly errcode?: number;
}

/**
 * Reads through a whole database, and compares its tables with their indexes, and with what follows from their rows, in a thread of its own, so that the others go on.
 *
 * @throws an error with the code SQLITE_CORRUPT, or another of SQLite's, when it is damaged.
 */
export async function checkInThread(file: string, driver: SqliteDriverName): Promise<void> {
  // Seldom needed, and loaded in a millisecond or two that every opening would take.
  const { Worker } = await import("node:worker_threads");
  const worker = new Worker(THREAD, { eval: true, workerData: { file, driver, wrong: WRONG, from: import.meta.url } });
  try {
    const [{ row, isWrong, message, ...codes }] = (await once(worker, "message")) as [Answer];
    if (row === undefined) throw Object.assign(new Error(message), codes);
    expectSound([row]);
    if (isWrong === true) throw derivedDamaged();
  } catch (error) {
    named(() => {
      throw error;
    });
  } finally {
    await worker.terminate();
  }
}
