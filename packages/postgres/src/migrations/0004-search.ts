import { type Kysely, sql } from "kysely";
import type { Migration } from "kysely/migration";

/**
 * The search index. The words of a document begin with the number of its tenant, so that the index of words holds each tenant's apart.
 *
 * The planner uses no index for `@>` on a table with row-level security, because the operator is not leakproof. Functions of the owner
 * therefore look words up, for the tenant that the transaction names; for the owner itself the security of `search_document` is not forced.
 */
export const search: Migration = {
  async up(db: Kysely<unknown>) {
    for (const statement of [...TABLES, ...SECURITY, LOCK_STATE, NOTE, UPDATE, RESTART, NUMBERS, TIDY])
      await sql.raw(statement).execute(db);
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
  // Without the list of pending entries: each search would read it.
  `CREATE INDEX search_document_by_word ON workrail.search_document USING gin (words) WITH (fastupdate = off)`,
  `CREATE TABLE workrail.search_word (tenant_id workrail.word NOT NULL, term workrail.word NOT NULL, PRIMARY KEY (tenant_id, term))`,
];

/** Tables of this migration with rows of tenants. */
export const TABLES_OF_SEARCH = ["search_state", "search_session", "search_document", "search_word"] as const;

const OWN = "nullif(current_setting('workrail.tenant', true), '')";
const IS_OWN = `tenant_id = ${OWN}`;

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

const UPDATE = `CREATE FUNCTION workrail.search_update(
  of_session text, from_version bigint, gone text[], added jsonb, new_terms text[], session_tags text[], is_done boolean
) RETURNS boolean LANGUAGE plpgsql SET search_path = pg_catalog AS $$
DECLARE
  own workrail.search_state := workrail.search_change();
  less record;
  more record;
BEGIN
  IF coalesce((SELECT version FROM workrail.search_session WHERE tenant_id = own.tenant_id AND id = of_session), 0) <> from_version THEN
    RETURN false;
  END IF;
  WITH deleted AS (
    DELETE FROM workrail.search_document WHERE tenant_id = own.tenant_id AND session_id = of_session AND id = ANY (gone) RETURNING terms
  ) SELECT count(*) FILTER (WHERE terms > 0) AS texts, coalesce(sum(terms), 0) AS terms, count(*) AS documents INTO less FROM deleted;
  WITH inserted AS (
    INSERT INTO workrail.search_document (tenant_id, number, session_id, sequence, id, previous, terms, kind, created_at, project, agent_id,
      workflow_id, tags, words)
    SELECT own.tenant_id, own.last_document + place, of_session, (text ->> 'sequence')::bigint, text ->> 'id', (text ->> 'previous')::bigint,
      (text ->> 'terms')::bigint, text ->> 'kind', (text ->> 'createdAt')::bigint, text ->> 'project', text ->> 'agentId',
      text ->> 'workflowId', ARRAY(SELECT jsonb_array_elements_text(text -> 'tags')),
      ARRAY(SELECT own.number || ':' || word FROM jsonb_array_elements_text(text -> 'words') AS word)
    FROM jsonb_array_elements(added) WITH ORDINALITY AS of_list (text, place)
    RETURNING terms
  ) SELECT count(*) FILTER (WHERE terms > 0) AS texts, coalesce(sum(terms), 0) AS terms, count(*) AS documents INTO more FROM inserted;
  INSERT INTO workrail.search_word SELECT own.tenant_id, term FROM unnest(new_terms) AS term ON CONFLICT DO NOTHING;
  INSERT INTO workrail.search_session AS old (tenant_id, id, version, tags) VALUES (own.tenant_id, of_session, own.changes, session_tags)
  ON CONFLICT (tenant_id, id) DO UPDATE SET version = excluded.version, tags = excluded.tags,
    noted = CASE WHEN is_done THEN NULL ELSE old.noted END, is_extended = CASE WHEN is_done THEN NULL ELSE old.is_extended END;
  DELETE FROM workrail.search_session AS old WHERE tenant_id = own.tenant_id AND id = of_session AND noted IS NULL
    AND NOT EXISTS (SELECT 1 FROM workrail.search_document WHERE tenant_id = own.tenant_id AND session_id = of_session);
  UPDATE workrail.search_state SET last_document = last_document + more.documents, texts = texts + more.texts - less.texts,
    terms = terms + more.terms - less.terms, removed = removed + less.documents WHERE tenant_id = own.tenant_id;
  RETURN true;
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

/** Returns the numbers of documents with words. Runs as the owner: see above. The words of a beginning come from `search_word`. */
const NUMBERS = `CREATE FUNCTION workrail.search_numbers(how text, asked text[], first_number bigint, last_number bigint, most bigint, is_latest boolean)
RETURNS bigint[] LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog SET plan_cache_mode = force_custom_plan AS $$
DECLARE
  own workrail.search_state;
  wanted text[];
BEGIN
  SELECT * INTO own FROM workrail.search_state WHERE ${IS_OWN};
  IF how = 'beginning' THEN
    wanted := ARRAY(SELECT term FROM workrail.search_word
      WHERE tenant_id = own.tenant_id AND term >= asked[1] AND term < asked[1] || chr(1114111) LIMIT 1000);
  ELSE
    wanted := asked;
  END IF;
  wanted := ARRAY(SELECT own.number || ':' || word FROM unnest(wanted) AS word);
  IF how = 'all' AND is_latest THEN
    RETURN ARRAY(SELECT number FROM workrail.search_document WHERE tenant_id = own.tenant_id AND words @> wanted
      AND number BETWEEN first_number AND last_number ORDER BY number DESC LIMIT most);
  ELSIF how = 'all' THEN
    RETURN ARRAY(SELECT number FROM workrail.search_document WHERE tenant_id = own.tenant_id AND words @> wanted
      AND number BETWEEN first_number AND last_number LIMIT most);
  ELSE
    RETURN ARRAY(SELECT number FROM workrail.search_document WHERE tenant_id = own.tenant_id AND words && wanted
      AND number BETWEEN first_number AND last_number ORDER BY number DESC LIMIT most);
  END IF;
END $$`;

/** Deletes words that no document has any more, at most `most` at a time. Returns true when words are left to look at. */
const TIDY = `CREATE FUNCTION workrail.search_tidy(most bigint) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
DECLARE
  own workrail.search_state;
  looked text[];
BEGIN
  SELECT * INTO own FROM workrail.search_state WHERE ${IS_OWN} FOR UPDATE;
  IF NOT FOUND OR (own.removed = 0 AND own.tidied_to = '') THEN
    RETURN false;
  END IF;
  looked := ARRAY(SELECT term FROM workrail.search_word WHERE tenant_id = own.tenant_id AND term > own.tidied_to ORDER BY term LIMIT most);
  DELETE FROM workrail.search_word AS word WHERE tenant_id = own.tenant_id AND term = ANY (looked)
    AND NOT EXISTS (SELECT 1 FROM workrail.search_document WHERE words @> ARRAY[own.number || ':' || word.term]);
  UPDATE workrail.search_state SET tidied_to = CASE WHEN cardinality(looked) < most THEN '' ELSE looked[most] END,
    removed = CASE WHEN own.tidied_to = '' THEN 0 ELSE removed END WHERE tenant_id = own.tenant_id;
  RETURN cardinality(looked) = most OR (own.tidied_to <> '' AND own.removed > 0);
END $$`;
