import { isWorkrailError } from "@workrail/core";
import { loadSqliteDriver } from "@workrail/sqlite-fs";
import type { DoctorFinding } from "./finding.ts";

const OLDEST_NODE = 22;
/** First version that can use better-sqlite3. */
const BEST_NODE = [22, 14] as const;

export function checkNode(version: string = process.versions.node): DoctorFinding {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const found = { check: "node", message: `This is Node ${version}.` } as const;
  if (major < OLDEST_NODE) return { ...found, status: "error", code: "INTERNAL", hint: `Install Node ${OLDEST_NODE} or newer.` };
  if (major > BEST_NODE[0] || minor >= BEST_NODE[1]) return { ...found, status: "ok" };
  return { ...found, status: "warning", hint: `Node ${BEST_NODE.join(".")} or newer can use the faster SQLite library.` };
}

/** Checks that a library that runs SQLite can be loaded. */
export function checkSqlite(): DoctorFinding {
  const native = failureOf("better-sqlite3");
  if (native === undefined) return { check: "sqlite", status: "ok", message: "better-sqlite3 can be loaded." };
  // Node before 24 warns of its own SQLite, so it is loaded only where it is needed.
  const builtIn = failureOf("node:sqlite");
  const reinstall = "Reinstall Workrail with the Node that runs it, to get a matching binary.";
  if (builtIn === undefined) {
    const message = `better-sqlite3 cannot be loaded (${native}); Node's own SQLite is used instead.`;
    return { check: "sqlite", status: "warning", message, hint: reinstall };
  }
  const message = `No SQLite can be loaded (${native}; ${builtIn}): the catalog is kept in files, and one process at a time can use the store.`;
  return { check: "sqlite", status: "warning", message, hint: reinstall };
}

function failureOf(driver: "better-sqlite3" | "node:sqlite"): string | undefined {
  try {
    loadSqliteDriver(driver);
    return undefined;
  } catch (error) {
    const cause = isWorkrailError(error) ? (error.cause ?? error) : error;
    return cause instanceof Error ? (cause.message.split("\n")[0] ?? "") : String(cause);
  }
}
