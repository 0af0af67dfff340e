// What reads texts for their words.
export {
  cleanText,
  embedSession,
  findByMeaning,
  followChanges,
  indexSession,
  parseQuery,
  rehearseSearch,
  searchCheckpoints,
} from "@workrail/core";
