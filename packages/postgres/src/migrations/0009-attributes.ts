import { comparedAttributes, type JsonObject, parseJson } from "@workrail/core";
import { type Kysely, sql } from "kysely";
import type { Migration } from "kysely/migration";
import { restoredText, storedText } from "../stored-text.ts";

/**
 * Adds an index of the attributes of checkpoints that filters compare; the value is JSON. While the rows of all tenants are read, row-level
 * security does not hold for the owner of the tables.
 */
export const attributes: Migration = {
  async up(db: Kysely<unknown>) {
    await sql.raw(TABLE).execute(db);
    await sql`ALTER TABLE workrail.checkpoint NO FORCE ROW LEVEL SECURITY`.execute(db);
    let rows = await pageAfter(db, { tenant_id: "", ordinal: 0 });
    for (let last = rows.at(-1); last !== undefined; last = rows.at(-1)) {
      await insert(db, rows);
      rows = await pageAfter(db, last);
    }
    await sql`ALTER TABLE workrail.checkpoint FORCE ROW LEVEL SECURITY`.execute(db);
    await sql`ALTER TABLE workrail.checkpoint_attribute ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY`.execute(db);
    await sql`CREATE POLICY of_tenant ON workrail.checkpoint_attribute USING (${IS_OF_TENANT}) WITH CHECK (${IS_OF_TENANT})`.execute(db);
  },
};

const TABLE = `
CREATE TABLE workrail.checkpoint_attribute (
  tenant_id workrail.word NOT NULL,
  name workrail.word NOT NULL,
  value workrail.word NOT NULL,
  ordinal bigint NOT NULL,
  PRIMARY KEY (tenant_id, name, value, ordinal)
);
`;

const IS_OF_TENANT = sql`tenant_id = nullif(current_setting('workrail.tenant', true), '')`;

/** Checkpoints read at once. */
const PAGE = 500;

interface Row {
  readonly tenant_id: string;
  readonly ordinal: number | string;
  readonly attributes: string;
}

async function pageAfter(db: Kysely<unknown>, { tenant_id: tenant, ordinal }: Omit<Row, "attributes">): Promise<readonly Row[]> {
  const { rows } = await sql<Row>`SELECT tenant_id, ordinal, attributes FROM workrail.checkpoint
    WHERE (tenant_id, ordinal) > (${tenant}, ${ordinal}::bigint) ORDER BY tenant_id, ordinal LIMIT ${PAGE}`.execute(db);
  return rows;
}

async function insert(db: Kysely<unknown>, rows: readonly Row[]): Promise<void> {
  const found = rows.flatMap(({ tenant_id, ordinal, attributes: text }) =>
    comparedAttributes(parseJson(restoredText(text)) as JsonObject).map(([name, value]) => ({ tenant_id, ordinal, name, value })),
  );
  const list = <T>(of: (row: (typeof found)[number]) => T): T[] => found.map(of);
  await sql`INSERT INTO workrail.checkpoint_attribute (tenant_id, name, value, ordinal) SELECT * FROM unnest(
    ${list((row) => row.tenant_id)}::text[], ${list((row) => storedText(row.name))}::text[],
    ${list((row) => storedText(JSON.stringify(row.value)))}::text[], ${list((row) => row.ordinal)}::bigint[])`.execute(db);
}
