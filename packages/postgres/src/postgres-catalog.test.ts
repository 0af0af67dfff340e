import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import type { AuditEvent, Decision } from "@workrail/core";
import { expect, it } from "vitest";
import { PostgresCatalog } from "./postgres-catalog.ts";
import type { Connection, Statement } from "./sql-connection.ts";
import { Transactions } from "./transactions.ts";

/** A connection whose server refuses to read the audit log, and the statements that were sent. */
function refusing(): { readonly connection: Connection; readonly sent: string[] } {
  const sent: string[] = [];
  const run = async ({ sql }: Statement): Promise<readonly unknown[]> => {
    sent.push(sql);
    await yieldToEventLoop();
    if (sql.includes(`from "workrail"."audit"`)) throw Object.assign(new Error("canceling statement"), { code: "57014" });
    return sql.includes("for no key update") ? [{ last_commit: 0, alone_by: null, transaction: "1" }] : [];
  };
  return { connection: { run: run as Connection["run"], release: () => sent.push("released") }, sent };
}

const AUDIT: AuditEvent[] = [{ at: new Date(0), action: "save", sessionId: undefined, checkpointId: undefined, agentId: undefined }];

function catalogOver(connection: Connection): { readonly catalog: PostgresCatalog; readonly transactions: Transactions } {
  const database = { connect: async () => connection, close: async () => undefined };
  const transactions = new Transactions({ database, tenant: "t", lockWaitMs: 1, silenceMs: 1, retryMs: 0 });
  return { catalog: new PostgresCatalog({ tenant: "t", transactions, opener: "o" }), transactions };
}

it("a change whose rows cannot be built ends when its blobs have ended, and not before", async () => {
  const { connection, sent } = refusing();
  const { catalog, transactions } = catalogOver(connection);
  const write = (sql: string) => transactions.run((on) => on.run({ sql, parameters: [] }));
  const blobs = async (): Promise<boolean> => {
    for (const sql of ["first", "second", "third"]) await write(sql);
    return true;
  };
  const decision: Decision<string> = { outcome: "done", rows: [], audit: AUDIT, blobs };
  await expect(catalog.change({ reads: {}, decide: () => decision })).rejects.toMatchObject({ code: "STORAGE_UNAVAILABLE" });
  expect(sent.slice(-3)).toEqual(["third", "rollback", "released"]);
});

it("a decision that changes rows without the blobs that were put ahead is refused, and rolled back", async () => {
  const { connection, sent } = refusing();
  const { catalog } = catalogOver(connection);
  const decision: Decision<string> = { outcome: "done", rows: [], audit: AUDIT };
  const rule = { reads: {}, blobsAhead: async () => true, decide: () => decision };
  await expect(catalog.change(rule)).rejects.toMatchObject({ code: "INTERNAL" });
  expect(sent.slice(-2)).toEqual(["rollback", "released"]);
});
