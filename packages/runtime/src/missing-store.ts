import { readdirSync } from "node:fs";
import { HOOKS, SETUP } from "@workrail/blob-files";
import type { Storage } from "@workrail/core";
import { CONFIG_FILE } from "./config/config-file.ts";
import { errorCode } from "./error-code.ts";

/** Names of files that may exist in a data directory without a store. Incoming saves are not among them. */
const BESIDE_STORE: ReadonlySet<string> = new Set([CONFIG_FILE, HOOKS, SETUP]);

/** Whether a data directory holds anything of a store. One that cannot be read may. */
export function hasStore(dataDir: string): boolean {
  try {
    return readdirSync(dataDir).some((name) => !BESIDE_STORE.has(name));
  } catch (error) {
    return errorCode(error) !== "ENOENT";
  }
}

/** Storage that stands for a store that is not there: it is empty, and on no disk. */
export async function openNothing(): Promise<Storage> {
  const { openMemoryStorage } = await import("@workrail/memory");
  return { ...openMemoryStorage(), durability: "disk", mode: "not made yet" };
}
