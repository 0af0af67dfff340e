import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findProject, openWorkrail, type Workrail, writeNewFile } from "@workrail/runtime";
import { pageWith, saveSession } from "@workrail/timeline";
import { readPage } from "@workrail/timeline/page";

export interface ExportPageOptions {
  readonly store: Workrail;
  readonly sessionId: string;
  /** The file to write; must not exist. */
  readonly file: string;
}

export interface ExportedPage {
  readonly file: string;
  readonly sizeBytes: number;
  /** Checkpoints in the page, and of the session. */
  readonly checkpoints: number;
  readonly total: number;
}

/** Characters of the data in a page: small enough for a mail. */
const MOST_CHARACTERS = 4_000_000;
/** More than any session holds. */
const ALL = 1e12;
/** The session meets the limits of its own store, which may be higher than the defaults. */
const NO_LIMITS = {
  maxCheckpoints: ALL,
  maxAsides: ALL,
  maxAsideBytes: ALL,
  maxCheckpointBytes: ALL,
  maxSessionBytes: ALL,
  maxTotalBytes: ALL,
  maxContextBytes: ALL,
  maxDepth: ALL,
  maxKeys: ALL,
  retentionDays: 0,
} as const;

/**
 * Writes a session as one page to share. Its data comes from a copy of the session in which secrets are replaced, whatever the
 * settings say: other people read the page.
 *
 * @throws INVALID_INPUT when the file exists, or its folder does not; STORAGE_UNAVAILABLE when it cannot be written;
 * PLAINTEXT_REFUSED in a sealed store, unless files in clear are allowed.
 */
export async function exportPage({ store, sessionId, file }: ExportPageOptions): Promise<ExportedPage> {
  const folder = mkdtempSync(join(tmpdir(), "workrail-page-"));
  try {
    const copy = join(folder, "session.json");
    await store.exportSession(sessionId, { file: copy });
    const settings = { ...NO_LIMITS, secrets: "redact" } as const;
    const project = findProject(process.cwd());
    await using redacted = await openWorkrail({ dataDir: join(folder, "store"), project, env: {}, settings, upkeep: false });
    await redacted.importFile(copy);
    const ports = { store: redacted, project, mayWrite: false, now: () => new Date() };
    const session = await saveSession(ports, sessionId, MOST_CHARACTERS);
    const html = pageWith(await readPage(), session);
    const { sizeBytes } = await writeNewFile(file, html);
    return { file, sizeBytes, checkpoints: session.timeline.rows.length, total: session.timeline.total };
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}
