import { type Connection, type CustomTypesConfig, DatabaseError, type Submittable, types } from "pg";
import type { Column, KeptStatements } from "./kept-statements.ts";
import { parameterText } from "./parameter-text.ts";
import type { Statement } from "./sql-connection.ts";

/** Statement of a batch, with the caller who waits for its rows. */
export interface Call {
  readonly statement: Statement;
  readonly resolve: (rows: readonly object[]) => void;
  readonly reject: (error: unknown) => void;
}

/** Parsers of the driver, but for whole numbers of 8 bytes: they are numbers here, for none exceeds 2^53. */
export const PARSERS: CustomTypesConfig = {
  getTypeParser: (oid, format) => (oid === types.builtins.INT8 ? Number : types.getTypeParser(oid, format)),
};

interface DescribedColumn {
  readonly name: string;
  readonly dataTypeID: Parameters<CustomTypesConfig["getTypeParser"]>[0];
}

/**
 * Statements that are sent together, and answered together: one `Sync` of the protocol ends them. After a statement that fails the database
 * skips the rest, a `COMMIT` too.
 *
 * A `Submittable` of `pg`, which calls the methods `handle...` as messages of the server arrive.
 */
export class Batch implements Submittable {
  readonly #calls: readonly Call[];
  readonly #kept: KeptStatements;
  /** Columns and rows of each statement so far. */
  readonly #answers: { columns?: readonly Column[]; readonly rows: object[] }[];
  /** Number of statements that are done. */
  #done = 0;

  constructor(calls: readonly Call[], kept: KeptStatements) {
    this.#calls = calls;
    this.#kept = kept;
    this.#answers = calls.map(() => ({ rows: [] }));
  }

  /**
   * Answers the callers: those of finished statements with rows, the others with the error. A field, because the driver wraps it to stop
   * its clock, and calls it at a timeout.
   */
  callback = (error: unknown): void => {
    for (const [at, { resolve, reject }] of this.#calls.entries()) {
      if (at < this.#done) resolve(this.#answers[at]?.rows ?? []);
      else reject(error);
    }
  };

  /** Sends the statements, all or none. Returns an error for a parameter that cannot be sent: the driver passes it to `handleError`. */
  submit(connection: Connection): Error | undefined {
    const { stream } = connection;
    stream.cork();
    try {
      this.#send(connection);
      return undefined;
    } catch (error) {
      // Drops what was sent so far, and is still held back.
      stream.destroy();
      return error as Error;
    } finally {
      stream.uncork();
    }
  }

  #send(connection: Connection): void {
    this.#kept.begin();
    for (const [at, { statement }] of this.#calls.entries()) {
      const { name, isNew, columns } = this.#kept.use(statement);
      if (isNew) {
        // Closes a statement left by a failed attempt. The database ignores an unknown name.
        if (name !== "") connection.close({ type: "S", name }, true);
        connection.parse({ name, text: statement.sql, types: [] }, true);
      }
      connection.bind({ statement: name, values: statement.parameters as string[], valueMapper: parameterText }, true);
      const answer = this.#answers[at];
      if (columns === undefined) connection.describe({ type: "P", name: "" }, true);
      else if (answer !== undefined) answer.columns = columns;
      connection.execute({}, true);
    }
    connection.sync();
  }

  handleRowDescription({ fields }: { readonly fields: readonly DescribedColumn[] }): void {
    const answer = this.#answers[this.#done];
    if (answer === undefined) return;
    answer.columns = fields.map(({ name, dataTypeID }) => ({ name, parse: PARSERS.getTypeParser(dataTypeID, "text") }));
  }

  handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
    const { columns = [], rows } = this.#answers[this.#done] ?? {};
    const row: Record<string, unknown> = {};
    for (const [at, { name, parse }] of columns.entries()) {
      const text = fields[at] ?? null;
      row[name] = text === null ? null : parse(text);
    }
    rows?.push(row);
  }

  handleCommandComplete(): void {
    const statement = this.#calls[this.#done]?.statement;
    if (statement !== undefined) this.#kept.add(statement, this.#answers[this.#done]?.columns ?? []);
    this.#done += 1;
  }

  handleEmptyQuery(): void {
    this.handleCommandComplete();
  }

  /** The server has done what it could, or the connection is lost. After a timeout, statements may still run: the connection is closed. */
  handleError(error: unknown, { stream }: Connection): void {
    if (!(error instanceof DatabaseError)) stream.destroy();
    this.callback(error instanceof DatabaseError ? this.#kept.failed(error) : error);
  }

  handleReadyForQuery(): void {
    this.callback(undefined);
  }
}
