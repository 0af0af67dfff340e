// What reads texts for their words.
export { cleanText, embedSession, findByMeaning, followChanges, indexSession, parseQuery, searchCheckpoints } from "@workrail/core";
