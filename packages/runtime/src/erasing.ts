import { createReadStream } from "node:fs";
import path from "node:path";
import { nodeFileSystem, quarantinedOf, replacedStores } from "@workrail/blob-files";
import {
  type EraseInput,
  type ErasedCheckpoint,
  type ErasureReport,
  parseCheckpointId,
  parseSessionId,
  type SessionId,
  WorkrailError,
} from "@workrail/core";

/** Selects the data to erase: either certain checkpoints, live or in the trash, or a whole session, or several. */
export interface EraseParams {
  readonly checkpointIds?: readonly string[] | undefined;
  readonly sessionId?: string | undefined;
  /** Several sessions, erased in one operation. */
  readonly sessionIds?: readonly string[] | undefined;
  /** Spares checkpoints tagged `keep` and those of sessions tagged `keep`. Default `false`. */
  readonly sparesKept?: boolean | undefined;
  /**
   * Overwrites erased data, so that none of it can be recovered. Default `true`. With `false` files are only unlinked: it is as
   * durable, and takes a fraction of the time.
   */
  readonly overwrites?: boolean | undefined;
  readonly agentId?: string | undefined;
  /** Reports the data that would be erased, and changes nothing. Default `false`. */
  readonly dryRun?: boolean | undefined;
}

/** Data that was erased, data still to erase, and copies outside of the store's reach. */
export interface EraseResult {
  dryRun: boolean;
  erased: readonly ErasedCheckpoint[];
  /** Checkpoints that stay because they are tagged `keep`. */
  spared: readonly ErasedCheckpoint[];
  /** Data still present and why, one sentence each. It is erased at the next opening of the store. Empty: nothing is left in the store. */
  left: readonly string[];
  /** Checkpoints stored as differences against erased ones that cannot be read. They were lost before this call. */
  unreadable: readonly string[];
  /** Known copies. They are not changed. */
  copies: {
    /** Times of backups of the store, ISO 8601, newest first. */
    backups: readonly string[];
    /** Times of exports of the sessions. */
    exports: readonly string[];
    /** Files in `exports` of the data directory that contain data of the sessions. */
    exportFiles: readonly string[];
    /** Damaged files of the sessions in `quarantine`, from other checkpoints. Their content cannot be determined. */
    quarantineFiles: readonly string[];
    /** Stores in the data directory that a restored backup replaced. */
    replacedStores: readonly string[];
  };
}

/** @throws INVALID_INPUT unless either checkpoints, a session or sessions are given. */
export function eraseInputOf({ checkpointIds = [], sessionId, sessionIds = [], ...how }: EraseParams): EraseInput {
  const sessions = sessionId === undefined ? sessionIds : [sessionId];
  const given = [checkpointIds, sessionIds, sessionId === undefined ? [] : [sessionId]].filter(({ length }) => length > 0);
  if (given.length !== 1) {
    throw new WorkrailError("INVALID_INPUT", "Give either checkpoints or sessions to erase.", {
      details: { field: "checkpointIds" },
      hint: "`workrail list` lists the ids of checkpoints and sessions.",
    });
  }
  if (sessions.length > 0)
    return { ...how, sessionIds: sessions.map((id) => parseSessionId(id, sessionId === undefined ? "sessionIds" : undefined)) };
  return { ...how, checkpointIds: checkpointIds.map((id) => parseCheckpointId(id)) };
}

/** @param dataDir directory searched for copies that people made. */
export async function eraseResultOf({ copies, ...report }: ErasureReport, dataDir: string | undefined): Promise<EraseResult> {
  const sessions = [...new Set(report.erased.map(({ sessionId }) => sessionId))];
  return {
    ...report,
    copies: {
      backups: copies.backups.map((at) => at.toISOString()),
      exports: copies.exports.map((at) => at.toISOString()),
      exportFiles: dataDir === undefined ? [] : await exportsOf(path.join(dataDir, "exports"), sessions),
      quarantineFiles: dataDir === undefined ? [] : quarantinedOf(nodeFileSystem, dataDir, sessions),
      replacedStores: dataDir === undefined ? [] : replacedStores(nodeFileSystem, dataDir),
    },
  };
}

/** Returns the files that contain one of the session ids, as every export of a session does. */
async function exportsOf(folder: string, sessions: readonly SessionId[]): Promise<readonly string[]> {
  // Without a directory there are no exports.
  if (nodeFileSystem.inspect(folder)?.kind !== "directory") return [];
  const files = nodeFileSystem.list(folder).map((name) => path.join(folder, name));
  const found: string[] = [];
  for (const file of files.filter((each) => nodeFileSystem.inspect(each)?.kind === "file")) {
    if (await names(file, sessions)) found.push(file);
  }
  return found;
}

async function names(file: string, sessions: readonly SessionId[]): Promise<boolean> {
  const quoted = sessions.map((sessionId) => JSON.stringify(sessionId));
  const longest = Math.max(0, ...quoted.map((text) => text.length));
  let last = "";
  for await (const piece of createReadStream(file, { encoding: "utf8" }) as AsyncIterable<string>) {
    const text = last + piece;
    if (quoted.some((each) => text.includes(each))) return true;
    last = text.slice(-longest);
  }
  return false;
}
