import { describeSearch } from "@workrail/storage-conformance";
import { miniSearchIndex } from "./mini-search-index.ts";

describeSearch({ name: "search-minisearch", open: async () => miniSearchIndex() });
