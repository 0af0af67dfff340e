import { readdirSync } from "node:fs";
import { HOOKS, SETUP } from "@workrail/blob-files";
import type { Storage } from "@workrail/core";
import { CONFIG_FILE } from "./config/config-file.ts";
import { errorCode } from "./error-code.ts";

/** Files that may exist in a data directory without a store. Incoming saves are not among them: they count as a store. */
const BESIDE_STORE: ReadonlySet<string> = new Set([CONFIG_FILE, HOOKS, SETUP]);

/** Tells whether a data directory contains any part of a store. An unreadable directory counts as one. */
export function hasStore(dataDir: string): boolean {
  try {
    return readdirSync(dataDir).some((name) => !BESIDE_STORE.has(name));
  } catch (error) {
    return errorCode(error) !== "ENOENT";
  }
}

/** Opens an empty storage in memory in place of a missing store. */
export async function openNothing(): Promise<Storage> {
  const { openMemoryStorage } = await import("@workrail/memory");
  return { ...openMemoryStorage(), durability: "disk", mode: "not made yet" };
}
