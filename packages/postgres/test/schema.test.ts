import { PGlite } from "@electric-sql/pglite";
import { chained, type SessionId } from "@workrail/core";
import { sha256 } from "@workrail/storage-conformance/harness";
import { Kysely, PGliteDialect } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { migrateOver } from "../src/migrate.ts";
import { openOver } from "../src/open-postgres.ts";
import type { StoredTables } from "../src/schema.ts";
import { saveRecord } from "./a-record.ts";
import { pgliteDatabase } from "./pglite-database.ts";
import { WITHOUT_BLOCKS } from "./without-blocks.ts";

/** The types of the tables as values. The compiler finds a column that is missing here, or that there is not. */
const COLUMNS: { readonly [T in keyof StoredTables]: { readonly [C in keyof StoredTables[T]]: 0 } } = {
  store: { tenant_id: 0, is_whole: 0, names_sessions: 0, last_commit: 0, live_bytes: 0, trash_bytes: 0, alone_by: 0, alone_until: 0 },
  opener: { tenant_id: 0, id: 0, until: 0 },
  session: {
    tenant_id: 0,
    id: 0,
    created_at: 0,
    last_accessed_at: 0,
    tags: 0,
    pins: 0,
    oldest_live: 0,
    last_sequence: 0,
    checkpoint_count: 0,
    aside_count: 0,
    total_bytes: 0,
  },
  session_tag: { tenant_id: 0, tag: 0, session_id: 0 },
  checkpoint: {
    tenant_id: 0,
    ordinal: 0,
    id: 0,
    session_id: 0,
    sequence: 0,
    parent_id: 0,
    kind: 0,
    created_at: 0,
    last_accessed_at: 0,
    agent_id: 0,
    workflow_id: 0,
    project: 0,
    name: 0,
    tags: 0,
    attributes: 0,
    exact_digest: 0,
    canonical_digest: 0,
    context_bytes: 0,
    layers: 0,
    writer: 0,
    blob: 0,
    blob_bytes: 0,
    base_id: 0,
    key_id: 0,
    damaged: 0,
    shielded_until: 0,
    trashed_at: 0,
    folded: 0,
    folded_name: 0,
    phase: 0,
    repository: 0,
  },
  checkpoint_tag: { tenant_id: 0, tag: 0, ordinal: 0 },
  checkpoint_attribute: { tenant_id: 0, name: 0, value: 0, ordinal: 0 },
  checkpoint_total: { tenant_id: 0, scope: 0, name: 0, kind: 0, total: 0 },
  edge: { tenant_id: 0, dependent: 0, base: 0 },
  removal: { tenant_id: 0, blob: 0, checkpoint_id: 0, session_id: 0 },
  erasure: { tenant_id: 0, blob: 0, checkpoint_id: 0, session_id: 0 },
  hold: { tenant_id: 0, holder: 0, until: 0 },
  audit: { tenant_id: 0, number: 0, at: 0, action: 0, session_id: 0, checkpoint_id: 0, agent_id: 0, reason: 0, digest: 0, subject: 0 },
  blob: { tenant_id: 0, ref: 0, bytes: 0 },
  quarantine: { tenant_id: 0, place: 0, ref: 0, bytes: 0 },
  key: { tenant_id: 0, place: 0, bytes: 0 },
  job: { tenant_id: 0, name: 0, holder: 0, until: 0 },
  search_state: {
    tenant_id: 0,
    number: 0,
    position: 0,
    changes: 0,
    last_document: 0,
    texts: 0,
    terms: 0,
    removed: 0,
    tidied_to: 0,
  },
  search_session: { tenant_id: 0, id: 0, version: 0, tags: 0, noted: 0, is_extended: 0 },
  search_document: {
    tenant_id: 0,
    number: 0,
    session_id: 0,
    sequence: 0,
    id: 0,
    previous: 0,
    terms: 0,
    kind: 0,
    created_at: 0,
    project: 0,
    agent_id: 0,
    workflow_id: 0,
    tags: 0,
    block_words: 0,
  },
  search_word: { tenant_id: 0, term: 0 },
};

const MIGRATIONS = [
  "0001-initial",
  "0002-row-security",
  "0004-search",
  "0005-audit-subject",
  "0006-keys",
  "0007-tenant-names",
  "0008-jobs",
  "0009-attributes",
  "0010-search-blocks",
];

describe("the schema", () => {
  let pglite: PGlite;
  const open = () => openOver(pgliteDatabase(pglite));

  beforeAll(async () => {
    pglite = await PGlite.create();
  });
  afterAll(() => pglite.close());

  it("is missing before the first migration, and is made once", async () => {
    await expect(open()).rejects.toMatchObject({
      code: "UNSUPPORTED_VERSION",
      details: {
        reason: "schema-older",
        missing: MIGRATIONS,
      },
    });
    const db = new Kysely<unknown>({ dialect: new PGliteDialect({ pglite }) });
    expect(await migrateOver(db)).toEqual({
      applied: MIGRATIONS,
    });
    expect(await migrateOver(db)).toEqual({ applied: [] });
  });

  it("of an older version is migrated with the attributes of its checkpoints, which a filter then finds", async () => {
    const storage = chained(await openOver(pgliteDatabase(pglite), { tenant: "older" }), (text) => sha256.sha256(text));
    await saveRecord(storage, "older" as SessionId);
    await pglite.exec(WITHOUT_BLOCKS.join(";"));
    await pglite.exec("drop table workrail.checkpoint_attribute; delete from workrail.kysely_migration where name >= '0009'");
    const db = new Kysely<unknown>({ dialect: new PGliteDialect({ pglite }) });
    expect(await migrateOver(db)).toEqual({ applied: ["0009-attributes", "0010-search-blocks"] });
    const count = (phase: string) => storage.catalog.read({ found: { of: "count", where: { state: "live", attributes: { phase } } } });
    expect([await count("testing"), await count("other")]).toEqual([{ found: 1 }, { found: 0 }]);
    await storage.close();
  });

  it("has the columns of the types, each key beginning with the tenant", async () => {
    const { rows } = await pglite.query<{ readonly table: string; readonly columns: string[] }>(
      `select table_name as table, array_agg(column_name::text order by column_name) as columns from information_schema.columns
        where table_schema = 'workrail' and table_name not like 'kysely%' group by table_name`,
    );
    const made = Object.fromEntries(rows.map(({ table, columns }) => [table, columns.toSorted()]));
    expect(made).toEqual(Object.fromEntries(Object.entries(COLUMNS).map(([table, columns]) => [table, Object.keys(columns).toSorted()])));
    const keys = await pglite.query<{ readonly first: string }>(
      `select distinct a.attname as first from pg_index i join pg_attribute a on a.attrelid = i.indrelid and a.attnum = i.indkey[0]
        join pg_class c on c.oid = i.indrelid join pg_namespace n on n.oid = c.relnamespace
        where n.nspname = 'workrail' and c.relname not like 'kysely%' and i.indexrelid <> 'workrail.search_document_by_word'::regclass`,
    );
    expect(keys.rows).toEqual([{ first: "tenant_id" }]);
  });

  it("without its rows beside blobs is a lost catalog, until all rows are replaced", async () => {
    const storage = chained(await open(), (text) => sha256.sha256(text));
    expect(await storage.recovery.state()).toBe("sound");
    await saveRecord(storage, "session" as SessionId);
    await storage.close();
    await pglite.exec("delete from workrail.store; delete from workrail.checkpoint; delete from workrail.session");
    const again = chained(await open(), (text) => sha256.sha256(text));
    expect(await again.recovery.state()).toBe("lost");
    await expect(again.recovery.replaceAll({ rows: [], audit: [], facts: [] }, "erased")).rejects.toMatchObject({ code: "STORE_IN_USE" });
    await again.locking.exclusively(() => again.recovery.replaceAll({ rows: [], audit: [], facts: [] }, "erased"));
    expect(await again.recovery.state()).toBe("sound");
    await again.close();
  });

  it("of a newer version is refused, by opening and by a migration", async () => {
    await pglite.exec("insert into workrail.kysely_migration values ('9999-later', 'now')");
    const isNewer = { code: "UNSUPPORTED_VERSION", details: { reason: "schema-newer", unknown: ["9999-later"] } };
    await expect(open()).rejects.toMatchObject(isNewer);
    await expect(migrateOver(new Kysely<unknown>({ dialect: new PGliteDialect({ pglite }) }))).rejects.toMatchObject(isNewer);
  });
});
