import type { OpenDatabase } from "../src/sqlite-driver.ts";

/** A driver that reports each call before the call is made. */
export function noting(open: OpenDatabase, note: (call: string) => void): OpenDatabase {
  return (file, busyMs) => {
    note("open");
    const database = open(file, busyMs);
    return {
      exec(sql) {
        note(sql);
        return database.exec(sql);
      },
      prepare(sql) {
        note(sql);
        return database.prepare(sql);
      },
      close: () => database.close(),
    };
  };
}
