/** SQL with the values of its parameters. A compiled query of kysely is one. */
export interface Statement<Row = unknown> {
  readonly sql: string;
  readonly parameters: readonly unknown[];
  /** Name under which a connection may keep the statement, parsed and planned. Stands for one text, in all processes. Default: not kept. */
  readonly name?: string | undefined;
  /** Carries the type of the rows. Never set. */
  readonly row?: Row;
}

/** Connection to the database that one caller uses at a time. */
export interface Connection {
  /**
   * Runs a statement. Calls without waiting in between are sent together, in their order, and take one round trip. When one fails, those
   * after it are not run, and fail with its error; a transaction that it was part of must be rolled back. Outside of a transaction, the
   * statements that are sent together are one.
   */
  run<Row>(statement: Statement<Row>): Promise<readonly Row[]>;
  /** Gives the connection back. `isBroken`: it is closed, as when an answer is missing. */
  release(isBroken: boolean): void;
}

/** Gives connections to one database. */
export interface Database {
  /** Waits while all connections are in use. */
  connect(): Promise<Connection>;
  /** Ends all connections. May be called twice. */
  close(): Promise<void>;
}
