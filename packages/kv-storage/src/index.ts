export type { KeyValues } from "./key-values.ts";
export { kvStorage } from "./kv-storage.ts";
export type { KvStorageOptions } from "./kv-storage.ts";
