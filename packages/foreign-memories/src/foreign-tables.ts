import type { ForeignDatabase } from "./foreign-memory.ts";

/** A row of a foreign table: every column as text; `null` for a missing or other value. */
export type ForeignRow = Readonly<Record<string, string | null>>;

export interface ForeignRows {
  readonly rows: readonly ForeignRow[];
  /** True when the rows exceed a limit in number or bytes; then `rows` is empty. */
  readonly isTooMuch: boolean;
}

interface Selection {
  readonly table: string;
  /** Columns to read. A column that the table lacks is `null`. */
  readonly columns: readonly string[];
  readonly where: string;
  readonly value: string;
}

const MAX_ROWS = 20_000;
const MAX_BYTES = 64 * 1024 * 1024;

/**
 * Reads tables of a copied foreign database. Skips views and virtual tables, which may be endless or run code,
 * and never exceeds the limits. One selection is in memory at a time.
 */
export class ForeignTables {
  readonly #database: ForeignDatabase;
  /** Columns by table. */
  readonly #columns = new Map<string, ReadonlySet<string>>();
  readonly #indexed = new Set<string>();

  constructor(database: ForeignDatabase) {
    this.#database = database;
    // The schema must not call functions.
    database.exec("PRAGMA trusted_schema = OFF");
    const tables = database.prepare(`SELECT name FROM sqlite_master WHERE type = 'table' AND sql LIKE 'CREATE TABLE%' LIMIT 1000`).all();
    for (const { name } of tables as readonly { readonly name: string }[]) this.#columns.set(name, this.#columnsOf(name));
  }

  has(table: string, ...columns: readonly string[]): boolean {
    const known = this.#columns.get(table);
    return known !== undefined && columns.every((column) => known.has(column));
  }

  /** The rows in the order of insertion; none when the table or column is missing. */
  rows({ table, columns, where, value }: Selection): ForeignRows {
    const known = columns.filter((column) => this.has(table, column));
    if (known.length === 0 || !this.has(table, where)) return { rows: [], isTooMuch: false };
    this.#index(table, where);
    const from = `FROM "${table}" WHERE "${where}" = ?`;
    const size = known.map((column) => `coalesce(length(CAST("${column}" AS BLOB)), 0)`).join(" + ");
    const [total] = this.#database.prepare(`SELECT count(*) AS rows, total(${size}) AS bytes ${from}`).all(value);
    const { rows, bytes } = total as { readonly rows: number; readonly bytes: number };
    if (rows > MAX_ROWS || bytes > MAX_BYTES) return { rows: [], isTooMuch: true };
    return {
      rows: this.#database.prepare(`SELECT ${known.map(asText).join(", ")} ${from} ORDER BY rowid`).all(value) as ForeignRow[],
      isTooMuch: false,
    };
  }

  /** The distinct values of a column among its first `most` rows, in the order of insertion. */
  values(table: string, column: string, most: number): readonly string[] {
    const found = this.#database.prepare(`SELECT ${asText(column)} FROM "${table}" ORDER BY rowid LIMIT ${most}`).all();
    return [...new Set((found as readonly ForeignRow[]).flatMap((row) => row[column] ?? []))];
  }

  /** Adds indexes for lookups by row. Safe, because the database is a copy. */
  #index(table: string, column: string): void {
    const name = `workrail_${table}_${column}`;
    if (this.#indexed.has(name)) return;
    this.#database.exec(`CREATE INDEX IF NOT EXISTS "${name}" ON "${table}" ("${column}")`);
    this.#indexed.add(name);
  }

  #columnsOf(table: string): ReadonlySet<string> {
    const columns = this.#database.prepare(`SELECT name FROM pragma_table_info(?)`).all(table);
    return new Set((columns as readonly { readonly name: string }[]).map(({ name }) => name));
  }
}

function asText(column: string): string {
  return `CASE WHEN typeof("${column}") = 'blob' THEN NULL ELSE CAST("${column}" AS TEXT) END AS "${column}"`;
}
