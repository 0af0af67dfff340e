import { createHash } from "node:crypto";
import { isJsonObject, type JsonValue, WorkrailError } from "@workrail/core";

const FORMAT = 1;

/** A file of a backup, by its path in the backup, always with `/`. */
export interface BackupFile {
  readonly path: string;
  readonly sizeBytes: number;
  readonly sha256: string;
}

/** Content of `backup.json`, the description of a backup. */
export interface BackupManifest {
  readonly createdAt: string;
  readonly writer: string;
  readonly checkpoints: number;
  readonly trashed: number;
  readonly sessions: number;
  readonly unreadable: readonly { readonly sessionId: string; readonly checkpointId: string; readonly code: string }[];
  readonly files: readonly BackupFile[];
}

export function sha256(data: string | Uint8Array): string {
  return createHash("sha256").update(data).digest("hex");
}

export function manifestText(manifest: BackupManifest): string {
  return `${JSON.stringify({ workrailBackup: FORMAT, check: sha256(JSON.stringify(manifest)), ...manifest }, undefined, 2)}\n`;
}

/** @throws UNSUPPORTED_VERSION for a newer format, CHECKPOINT_CORRUPT for any other text. */
export function parseManifest(text: string): BackupManifest {
  const value = parse(text);
  const { workrailBackup, check, ...manifest } = isJsonObject(value) ? value : {};
  if (typeof workrailBackup === "number" && workrailBackup > FORMAT) {
    throw new WorkrailError("UNSUPPORTED_VERSION", "A newer version of Workrail made this backup.", {
      details: { format: workrailBackup },
      hint: "Update Workrail.",
    });
  }
  if (workrailBackup !== FORMAT || check !== sha256(JSON.stringify(manifest))) throw damaged();
  // The digest proves that `manifestText` wrote it.
  return manifest as unknown as BackupManifest;
}

function parse(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

function damaged(): WorkrailError {
  return new WorkrailError("CHECKPOINT_CORRUPT", "The backup's list of files, backup.json, is damaged.", {
    hint: "Use another backup. To recover its readable checkpoints, use a copy of it as a data directory, without backup.json.",
  });
}
