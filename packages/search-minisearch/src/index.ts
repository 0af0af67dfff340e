export { miniSearchIndex } from "./mini-search-index.ts";
