import path from "node:path";
import Database from "better-sqlite3";

/** The baseline of search: an FTS5 table of a store's notes, with nothing around it. */
export class BareNotes {
  readonly database: Database.Database;
  #asked: Database.Statement<[string]> | undefined;

  /** Opens the file beside the store; a new one has no table yet. */
  constructor(dataDir: string) {
    this.database = new Database(path.join(path.dirname(dataDir), `${path.basename(dataDir)}-bare.db`));
  }

  /** Returns the best five by the table's own ranking. */
  ask(match: string): readonly unknown[] {
    this.#asked ??= this.database.prepare("SELECT rowid FROM note WHERE note MATCH ? ORDER BY rank LIMIT 5");
    return this.#asked.all(match);
  }

  close(): void {
    this.database.close();
  }
}
