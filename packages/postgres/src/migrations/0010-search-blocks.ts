import { type Kysely, sql } from "kysely";
import type { Migration } from "kysely/migration";
import { IS_OWN } from "./0004-search.ts";

/**
 * Documents whose numbers follow each other form a block. Each word of a document begins with the numbers of its tenant and its block, so
 * the index separates tenants, and the latest documents of a word are found without reading its earlier ones. With smaller blocks, a word
 * of few documents takes more lookups; with larger ones, a word of many takes more rows.
 */
const BLOCK = 4_096;

export const searchBlocks: Migration = {
  async up(db: Kysely<unknown>) {
    for (const statement of [...REWRITE, UPDATE, NUMBERS, TIDY]) await sql.raw(statement).execute(db);
  },
};

/**
 * Puts the block into the words of the documents that are there: they began with the number of the tenant alone. The column gets another
 * name, so that a function of the version before that waits for this migration fails, instead of writing or deleting words as before.
 */
const REWRITE = [
  `DROP INDEX workrail.search_document_by_word`,
  `ALTER TABLE workrail.search_document RENAME COLUMN words TO block_words`,
  `UPDATE workrail.search_document SET block_words = ARRAY(
    SELECT split_part(word, ':', 1) || ':' || number / ${BLOCK} || substr(word, strpos(word, ':')) FROM unnest(block_words) AS word)`,
  // Without the list of pending entries: each search would read it.
  `CREATE INDEX search_document_by_word ON workrail.search_document USING gin (block_words) WITH (fastupdate = off)`,
];

const UPDATE = `CREATE OR REPLACE FUNCTION workrail.search_update(
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
      workflow_id, tags, block_words)
    SELECT own.tenant_id, own.last_document + place, of_session, (text ->> 'sequence')::bigint, text ->> 'id', (text ->> 'previous')::bigint,
      (text ->> 'terms')::bigint, text ->> 'kind', (text ->> 'createdAt')::bigint, text ->> 'project', text ->> 'agentId',
      text ->> 'workflowId', ARRAY(SELECT jsonb_array_elements_text(text -> 'tags')),
      ARRAY(SELECT own.number || ':' || (own.last_document + place) / ${BLOCK} || ':' || word FROM jsonb_array_elements_text(text -> 'words') AS word)
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

/** The first block that is in use; null without documents. Numbers are not used again: earlier blocks are empty after the index was rebuilt. */
const FIRST_BLOCK = `(SELECT min(number) / ${BLOCK} FROM workrail.search_document WHERE tenant_id = own.tenant_id)`;

/**
 * Leaves the planner only the index of words: the planner knows neither how many documents have a word, nor that a table has grown since
 * the plan. Compiling a statement takes longer than running it.
 */
const BY_INDEX = "SET search_path = pg_catalog SET enable_seqscan = off SET jit = off";

/** Reads documents whose words meet a condition, one block after another, the latest first. */
const latest = (condition: string): string => `ARRAY(SELECT of_block.number
      FROM (SELECT ARRAY(SELECT own.number || ':' || block || ':' || word FROM unnest(wanted) AS word) AS words
        FROM generate_series(least(last_number, own.last_document) / ${BLOCK}, greatest(first_number / ${BLOCK}, first_block), -1) AS block OFFSET 0) AS block,
      LATERAL (SELECT number FROM workrail.search_document WHERE ${condition}
        AND tenant_id || '' = own.tenant_id AND number + 0 BETWEEN first_number AND last_number ORDER BY number DESC LIMIT most) AS of_block
      LIMIT most)`;

/**
 * Returns the numbers of the latest documents with words. Runs as the owner: see `0004-search`. The words of a beginning come from
 * `search_word`.
 *
 * Tenant and range are expressions, so that the planner does not take the index of numbers. `is_latest` is without effect: servers of the
 * version before pass it.
 */
const NUMBERS = `CREATE OR REPLACE FUNCTION workrail.search_numbers(how text, asked text[], first_number bigint, last_number bigint, most bigint, is_latest boolean)
RETURNS bigint[] LANGUAGE plpgsql STABLE SECURITY DEFINER ${BY_INDEX} SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  own workrail.search_state;
  wanted text[] := asked;
  first_block bigint;
BEGIN
  SELECT * INTO own FROM workrail.search_state WHERE ${IS_OWN};
  first_block := ${FIRST_BLOCK};
  IF first_block IS NULL THEN
    RETURN '{}';
  END IF;
  IF how = 'beginning' THEN
    wanted := ARRAY(SELECT term FROM workrail.search_word
      WHERE tenant_id = own.tenant_id AND term >= asked[1] AND term < asked[1] || chr(1114111) LIMIT 1000);
  END IF;
  IF how = 'all' THEN
    RETURN ${latest("block_words @> block.words")};
  ELSE
    RETURN ${latest("block_words && block.words")};
  END IF;
END $$`;

/** Checks the next `most` words, and deletes those that no document has any more. Returns true when there are further words to check. */
const TIDY = `CREATE OR REPLACE FUNCTION workrail.search_tidy(most bigint)
RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER ${BY_INDEX} AS $$
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
    AND NOT EXISTS (SELECT 1 FROM generate_series(own.last_document / ${BLOCK}, ${FIRST_BLOCK}, -1) AS block,
      LATERAL (SELECT 1 FROM workrail.search_document
        WHERE block_words @> ARRAY[own.number || ':' || block || ':' || word.term] LIMIT 1) AS of_block);
  UPDATE workrail.search_state SET tidied_to = CASE WHEN cardinality(looked) < most THEN '' ELSE looked[most] END,
    removed = CASE WHEN own.tidied_to = '' THEN 0 ELSE removed END WHERE tenant_id = own.tenant_id;
  RETURN cardinality(looked) = most OR (own.tidied_to <> '' AND own.removed > 0);
END $$`;
