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

/** What is to be erased: either certain checkpoints, live or in the trash, or all of a session. */
export interface EraseParams {
  readonly checkpointIds?: readonly string[] | undefined;
  readonly sessionId?: string | undefined;
  /** Leave what is tagged `keep`, or belongs to a session that is. Default `false`. */
  readonly sparesKept?: boolean | undefined;
  readonly agentId?: string | undefined;
  /** Tell what would be erased, and change nothing. Default `false`. */
  readonly dryRun?: boolean | undefined;
}

/** What was erased, what is still to be done, and which copies nobody can take back. */
export interface EraseResult {
  dryRun: boolean;
  erased: readonly ErasedCheckpoint[];
  /** What is tagged `keep`, and therefore stays. */
  spared: readonly ErasedCheckpoint[];
  /** What is still there and why, a sentence each; it is erased when the store is opened the next time. None: nothing is left in the store. */
  left: readonly string[];
  /** Checkpoints that were stored against what was erased and cannot be read: they are lost, as they were before. */
  unreadable: readonly string[];
  /** What the store knows of copies. They keep what they have. */
  copies: {
    /** When backups of the store were made, ISO 8601, the newest first. */
    backups: readonly string[];
    /** When the sessions were exported. */
    exports: readonly string[];
    /** Files in `exports` of the data directory that have something of the sessions. */
    exportFiles: readonly string[];
    /** Damaged files of the sessions in `quarantine`, of other checkpoints: nobody can tell what they hold. */
    quarantineFiles: readonly string[];
    /** Stores whose place was taken by a backup, in the data directory. */
    replacedStores: readonly string[];
  };
}

/** @throws INVALID_INPUT unless it is either checkpoints or a session. */
export function eraseInputOf({ checkpointIds = [], sessionId, ...how }: EraseParams): EraseInput {
  if (checkpointIds.length > 0 !== (sessionId === undefined)) {
    throw new WorkrailError("INVALID_INPUT", "What is to be erased must be either checkpoints or a session.", {
      details: { field: "checkpointIds" },
      hint: "`workrail list` lists the ids of checkpoints and sessions.",
    });
  }
  if (sessionId !== undefined) return { ...how, sessionId: parseSessionId(sessionId) };
  return { ...how, checkpointIds: checkpointIds.map((id) => parseCheckpointId(id)) };
}

/** @param dataDir where copies may be that people made. */
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

/** Files that name one of the sessions, as every export of a session does. */
async function exportsOf(folder: string, sessions: readonly SessionId[]): Promise<readonly string[]> {
  // No export is in what is no directory.
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
