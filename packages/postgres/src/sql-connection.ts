/** SQL with the values of its parameters. A compiled query of kysely is one. */
export interface Statement<Row = unknown> {
  readonly sql: string;
  readonly parameters: readonly unknown[];
  /** Carries the type of the rows. Never set. */
  readonly row?: Row;
}

/** Connection to the database that one caller uses at a time. */
export interface Connection {
  /**
   * Runs a statement. Statements are sent at once, in the order of the calls, and answered in this order: several calls without waiting
   * take one round trip. An error of the server leaves the connection usable.
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
