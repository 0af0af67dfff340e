import { once } from "node:events";
import { BETTER_SQLITE3 } from "./better-sqlite3-module.ts";
import { named } from "./node-sqlite-driver.ts";
import type { SqliteDriverName } from "./sqlite-driver.ts";

/** Code of the thread, as text, because a bundled program has no separate file to run. It works with both drivers. */
const THREAD = `
  const { parentPort, workerData } = require("node:worker_threads");
  const sqlite = require("node:module").createRequire(workerData.from)(workerData.library);
  const database = new (sqlite.DatabaseSync ?? sqlite)(workerData.file);
  let answer;
  try {
    database.exec("PRAGMA busy_timeout = 5000; PRAGMA query_only = 1");
    answer = { rows: workerData.statements.map((sql) => ({ ...database.prepare(sql).get() })) };
  } catch ({ message, code, errcode }) {
    answer = { message, code, errcode };
  }
  database.close();
  parentPort.postMessage(answer);`;

interface Answer {
  readonly rows?: readonly object[];
  readonly message?: string;
  readonly code?: string;
  readonly errcode?: number;
}

/**
 * Runs statements in a separate thread, so that the event loop stays free.
 *
 * @returns the first row of each statement; an object without columns when there is no row.
 * @throws errors of the driver.
 */
export async function askInThread(file: string, driver: SqliteDriverName, statements: readonly string[]): Promise<readonly object[]> {
  // Loaded here, because the module is seldom needed and would cost each opening a millisecond or two.
  const { Worker } = await import("node:worker_threads");
  const library = driver === "better-sqlite3" ? BETTER_SQLITE3 : driver;
  const worker = new Worker(THREAD, { eval: true, workerData: { file, library, statements, from: import.meta.url } });
  try {
    const [{ rows, message, ...codes }] = (await once(worker, "message")) as [Answer];
    if (rows === undefined) throw Object.assign(new Error(message), codes);
    return rows;
  } catch (error) {
    return named(() => {
      throw error;
    });
  } finally {
    await worker.terminate();
  }
}
