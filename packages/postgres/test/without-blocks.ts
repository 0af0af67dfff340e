/** Statements that make the search index one of the version before `0010-search-blocks`, without the functions. */
export const WITHOUT_BLOCKS: readonly string[] = [
  "alter table workrail.search_document rename column block_words to words",
  `update workrail.search_document set words = array(select regexp_replace(word, '^([0-9]+):[0-9]+:', '\\1:') from unnest(words) as word)`,
  "delete from workrail.kysely_migration where name >= '0010'",
];
