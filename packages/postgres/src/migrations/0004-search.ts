import { type Kysely, sql } from "kysely";
import type { Migration } from "kysely/migration";

/**
 * The tables of the search index. `0010-search-blocks` has the functions that read and write words.
 *
 * The planner uses no index for `@>` on a table with row-level security, because the operator is not leakproof. Functions of the owner
 * therefore look words up, for the tenant that the transaction names; for the owner itself the security of `search_document` is not forced.
 */
export const search: Migration = {
  async up(db: Kysely<unknown>) {
    for (const statement of [...TABLES, ...SECURITY, LOCK_STATE, NOTE, RESTART]) await sql.raw(statement).execute(db);
  },
};

const TABLES = [
  `CREATE TABLE workrail.search_state (
    tenant_id workrail.word PRIMARY KEY,
    number integer GENERATED ALWAYS AS IDENTITY,
    position workrail.word,
    changes bigint NOT NULL DEFAULT 0,
    last_document bigint NOT NULL DEFAULT 0,
    texts bigint NOT NULL DEFAULT 0,
    terms bigint NOT NULL DEFAULT 0,
    removed bigint NOT NULL DEFAULT 0,
    tidied_to workrail.word NOT NULL DEFAULT ''
  ) WITH (fillfactor = 50)`,
  `CREATE TABLE workrail.search_session (
    tenant_id workrail.word NOT NULL,
    id workrail.word NOT NULL,
    version bigint NOT NULL,
    tags text[] NOT NULL DEFAULT '{}',
    noted bigint,
    is_extended boolean,
    PRIMARY KEY (tenant_id, id)
  )`,
  `CREATE INDEX search_session_pending ON workrail.search_session (tenant_id, noted) WHERE noted IS NOT NULL`,
  `CREATE TABLE workrail.search_document (
    tenant_id workrail.word NOT NULL,
    number bigint NOT NULL,
    session_id workrail.word NOT NULL,
    sequence bigint NOT NULL,
    id workrail.word NOT NULL,
    previous bigint NOT NULL,
    terms bigint NOT NULL,
    kind workrail.word NOT NULL,
    created_at bigint NOT NULL,
    project workrail.word,
    agent_id workrail.word,
    workflow_id workrail.word,
    tags text[] NOT NULL,
    words text[] COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant_id, number)
  )`,
  `CREATE INDEX search_document_by_session ON workrail.search_document (tenant_id, session_id, sequence)`,
  `CREATE INDEX search_document_by_word ON workrail.search_document USING gin (words) WITH (fastupdate = off)`,
  `CREATE TABLE workrail.search_word (tenant_id workrail.word NOT NULL, term workrail.word NOT NULL, PRIMARY KEY (tenant_id, term))`,
];

/** Tables of this migration with rows of tenants. */
export const TABLES_OF_SEARCH = ["search_state", "search_session", "search_document", "search_word"] as const;

/** The tenant that the transaction names. */
const OWN = "nullif(current_setting('workrail.tenant', true), '')";
export const IS_OWN: string = `tenant_id = ${OWN}`;

const SECURITY = TABLES_OF_SEARCH.flatMap((table) => [
  `ALTER TABLE workrail.${table} ENABLE ROW LEVEL SECURITY${table === "search_document" ? "" : ", FORCE ROW LEVEL SECURITY"}`,
  `CREATE POLICY of_tenant ON workrail.${table} USING (${IS_OWN}) WITH CHECK (${IS_OWN})`,
]);

/** Counts a change and locks the index of the tenant until the end of the transaction. */
const LOCK_STATE = `CREATE FUNCTION workrail.search_change() RETURNS workrail.search_state LANGUAGE plpgsql SET search_path = pg_catalog AS $$
DECLARE
  own workrail.search_state;
BEGIN
  UPDATE workrail.search_state SET changes = changes + 1 WHERE ${IS_OWN} RETURNING * INTO own;
  IF NOT FOUND THEN
    INSERT INTO workrail.search_state (tenant_id) VALUES (${OWN}) ON CONFLICT DO NOTHING;
    UPDATE workrail.search_state SET changes = changes + 1 WHERE ${IS_OWN} RETURNING * INTO own;
  END IF;
  RETURN own;
END $$`;

const NOTE = `CREATE FUNCTION workrail.search_note(of_session text, only_extended boolean) RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog AS $$
DECLARE
  own workrail.search_state := workrail.search_change();
BEGIN
  INSERT INTO workrail.search_session AS old (tenant_id, id, version, noted, is_extended)
  VALUES (own.tenant_id, of_session, own.changes, own.changes, only_extended)
  ON CONFLICT (tenant_id, id) DO UPDATE SET version = excluded.version, noted = coalesce(old.noted, excluded.noted),
    is_extended = coalesce(old.is_extended, true) AND excluded.is_extended;
END $$`;

const RESTART = `CREATE FUNCTION workrail.search_restart() RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog AS $$
DECLARE
  own workrail.search_state := workrail.search_change();
BEGIN
  DELETE FROM workrail.search_document WHERE tenant_id = own.tenant_id;
  DELETE FROM workrail.search_session WHERE tenant_id = own.tenant_id;
  DELETE FROM workrail.search_word WHERE tenant_id = own.tenant_id;
  UPDATE workrail.search_state SET position = NULL, texts = 0, terms = 0, removed = 0, tidied_to = '' WHERE tenant_id = own.tenant_id;
END $$`;
