import { askInThread } from "./ask-in-thread.ts";
import { PROVED_AT_OPENING_BYTES } from "./catalog-checks.ts";
import { retryWhileBusy } from "./retry-while-busy.ts";
import type { OpenDatabase, SqliteDriverName } from "./sqlite-driver.ts";

const WAIT_MS = 5_000;

/** The library that opens the file. */
interface AskedDriver {
  readonly driver: SqliteDriverName;
  readonly openDatabase: OpenDatabase;
}

/**
 * Runs statements on a new connection, which has no pages of the file in its cache. Runs them in a separate thread if the database is
 * large, so that the event loop stays free.
 *
 * @returns the first row of each statement; an object without columns when there is no row.
 * @throws errors of the driver.
 */
export async function askAfresh(
  file: string,
  { driver, openDatabase }: AskedDriver,
  statements: readonly string[],
): Promise<readonly object[]> {
  const rows = await retryWhileBusy(() => askInPlace(file, openDatabase, statements), WAIT_MS);
  return rows ?? askInThread(file, driver, statements);
}

/** Returns `undefined` if the database is large. */
function askInPlace(file: string, openDatabase: OpenDatabase, statements: readonly string[]): readonly object[] | undefined {
  const database = openDatabase(file, 0);
  try {
    const { bytes } = database.prepare(SIZE).get() as { readonly bytes: number };
    // Each opening checks a smaller one in place as well, in a few milliseconds. A thread takes ten times as long to start.
    if (bytes > PROVED_AT_OPENING_BYTES) return undefined;
    database.exec("PRAGMA query_only = 1");
    return statements.map((sql) => ({ ...(database.prepare(sql).get() as object | undefined) }));
  } finally {
    database.close();
  }
}

/** Includes the pages that are only in the log. */
const SIZE = "SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size";
