import type { Clock } from "@workrail/core";
import type { Connection } from "./sql-connection.ts";

/** The clock of the database, so that the times of all machines agree: this machine's clock, set by the last answer of the database. */
export class DatabaseClock implements Clock {
  #aheadMs = 0;

  now(): Date {
    return new Date(Date.now() + this.#aheadMs);
  }

  /** Asks the database for its time. A difference that the way of the answer may explain changes nothing, so that time does not jump. */
  async set(connection: Connection): Promise<void> {
    const sentAt = Date.now();
    const [row] = await connection.run<{ readonly at: number }>({ sql: TIME, parameters: [] });
    const answeredAt = Date.now();
    if (row === undefined) return;
    const aheadMs = Math.round(row.at - (sentAt + answeredAt) / 2);
    if (Math.abs(aheadMs - this.#aheadMs) > (answeredAt - sentAt) / 2 + 1) this.#aheadMs = aheadMs;
  }
}

const TIME = "select (extract(epoch from clock_timestamp()) * 1000)::bigint as at";
