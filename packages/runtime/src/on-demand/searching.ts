// Search and its index, loaded on demand.
export {
  cleanText,
  embedSession,
  findByMeaning,
  followChanges,
  indexSession,
  parseQuery,
  rehearseSearch,
  searchCheckpoints,
} from "@workrail/search";
