import {
  checkContext,
  type CheckpointFacts,
  type CheckpointId,
  checkSize,
  type Context,
  encodeEnvelope,
  labelsOf,
  labelsText,
  MAX_ENVELOPE_BYTES,
  parseJson,
  type PlacedSecret,
  type PreparedContext,
  prepareText,
  type ScreenSecrets,
  type SecretsReport,
  type SessionId,
  WorkrailError,
  writeText,
  type ImportConflictPolicy,
} from "@workrail/core";
import type { ExportedSession, UnreadableInExport } from "./export-format/export-fields.ts";
import { atPlace, type ExportPart, readExport } from "./export-format/read-export.ts";
import { type ImportPlan, planImport } from "./plan-import.ts";
import { writeImported, type WriteImportedPorts } from "./write-imported.ts";

export interface ImportPorts extends WriteImportedPorts, PlanPorts {
  /** Handling of secrets in imported data. Default: no search for secrets. */
  readonly secrets?: ScreenSecrets | undefined;
}

type PlanPorts = Parameters<typeof planImport>[0];

/**
 * Whole export as text, or a function that reads it from the beginning. It is read twice, so that nothing is written before
 * everything is verified.
 */
export type ExportSource = string | (() => AsyncIterable<string>);

export interface ImportInput {
  readonly source: ExportSource;
  /** Default `skip`. */
  readonly onConflict?: ImportConflictPolicy | undefined;
  /** Verifies and plans, but changes nothing. Default `false`. */
  readonly dryRun?: boolean | undefined;
}

export interface ImportReport {
  /** Session that received the checkpoints. Differs from the exported one when renamed. */
  readonly sessionId: SessionId;
  readonly exportedSessionId: SessionId;
  /** Checkpoints in the export. */
  readonly checkpoints: number;
  /** Checkpoints added to the store, or with `dryRun` to be added. */
  readonly added: number;
  /** Checkpoints that the store already had. */
  readonly present: number;
  /** Other checkpoints: the policy leaves no place for them in the session's history. */
  readonly leftOut: number;
  /** Checkpoints that the export lists as unreadable. */
  readonly unreadable: readonly UnreadableInExport[];
  /** Possible secrets, and the number of checkpoints with any; absent when there are none. Lists the first ones. */
  readonly secrets?: Omit<SecretsReport, "found"> & { readonly checkpoints: number; readonly found: readonly ImportedSecret[] };
}

export interface ImportedSecret extends PlacedSecret {
  /** Id of the checkpoint in the export. */
  readonly checkpointId: CheckpointId;
}

/**
 * Imports an exported session. Keeps ids, times, parents and the order of commits; each context stays exactly the same, unless
 * secrets in it are replaced. Every checkpoint is verified against its digest before anything is written. An interrupted import
 * leaves whole checkpoints, and importing again continues from there. Counts as an access. The limit of checkpoints per session
 * is applied by the next save.
 *
 * Checkpoints that the store already has are never changed. If the session has some: `skip` adds the checkpoints after the
 * session's latest one, and nothing when the session has its own newer ones. `newer` also adds to such a session the checkpoints
 * after the last common one, when the export's latest checkpoint was created after the session's. `rename` adds everything as
 * another session, under new ids.
 *
 * @throws UNSUPPORTED_VERSION for a newer format; INVALID_INPUT naming the place, TOO_LARGE, STORAGE_QUOTA_EXCEEDED and
 * SECRET_FOUND when the export cannot be imported, and nothing was; CONFLICT when an id belongs to other data in the store, or the session
 * was saved to meanwhile; LOCK_TIMEOUT and STORAGE_UNAVAILABLE for the store.
 */
export async function importSession(ports: ImportPorts, input: ImportInput): Promise<ImportReport> {
  const { session, checkpoints, unreadable, secrets } = await prove(ports, input.source);
  return ports.locking.inOrder(session.id, async () => {
    const plan = await planImport(ports, { sessionId: session.id, checkpoints }, input.onConflict ?? "skip");
    if (input.dryRun !== true) await write(ports, { source: input.source, session, plan });
    const added = plan.entries.filter((entry) => entry.action === "add").length;
    const present = plan.entries.filter((entry) => entry.action === "present").length;
    return {
      sessionId: plan.sessionId,
      exportedSessionId: session.id,
      checkpoints: checkpoints.length,
      added,
      present,
      leftOut: checkpoints.length - added - present,
      unreadable,
      ...(secrets === undefined ? {} : { secrets }),
    };
  });
}

type CheckpointPart = Extract<ExportPart, { kind: "checkpoint" }>;

interface ProvenExport {
  readonly session: ExportedSession;
  readonly checkpoints: readonly CheckpointFacts[];
  readonly unreadable: readonly UnreadableInExport[];
  readonly secrets: ImportReport["secrets"];
}

async function prove(ports: ImportPorts, source: ExportSource): Promise<ProvenExport> {
  let session: ExportedSession | undefined;
  let unreadable: readonly UnreadableInExport[] = [];
  let secrets: ImportReport["secrets"];
  const checkpoints: CheckpointFacts[] = [];
  const seen = new Set<CheckpointId>();
  for await (const part of readExport(open(source), ports)) {
    if (part.kind === "session") {
      session = part.session;
      continue;
    }
    if (part.kind === "unreadable") {
      unreadable = part.checkpoints;
      continue;
    }
    const { id } = part.checkpoint.facts;
    await atPlace(part.place, () => {
      if (seen.has(id)) throw new WorkrailError("INVALID_INPUT", "Its id occurs twice in the export.", { details: { field: "id" } });
    });
    seen.add(id);
    const { facts, report } = await proveCheckpoint(ports, part, (session as ExportedSession).id);
    checkpoints.push(facts);
    if (report !== undefined) secrets = added(secrets, id, report);
  }
  // `readExport` throws when there is no session.
  return { session: session as ExportedSession, checkpoints, unreadable, secrets };
}

/** Most secrets that a report lists. */
const MOST_NAMED = 20;

function added(
  before: ImportReport["secrets"],
  checkpointId: CheckpointId,
  { action, count, found }: SecretsReport,
): ImportReport["secrets"] {
  const named = found.map((secret) => ({ checkpointId, ...secret }));
  return {
    action,
    count: (before?.count ?? 0) + count,
    checkpoints: (before?.checkpoints ?? 0) + 1,
    found: [...(before?.found ?? []), ...named].slice(0, MOST_NAMED),
  };
}

interface ProvenCheckpoint {
  readonly facts: CheckpointFacts;
  readonly report: SecretsReport | undefined;
}

async function proveCheckpoint(ports: ImportPorts, part: CheckpointPart, sessionId: SessionId): Promise<ProvenCheckpoint> {
  return atPlace(part.place, async () => {
    const { labels, content, report } = await screened(ports, part);
    const { exactDigest, canonicalDigest, bytes } = content;
    const facts: CheckpointFacts = {
      ...part.checkpoint.facts,
      ...labels,
      sessionId,
      exactDigest,
      canonicalDigest,
      contextBytes: bytes.length,
    };
    // A context that is small enough uncompressed is also small enough compressed, whatever gzip does.
    if (bytes.length + MAX_ENVELOPE_BYTES > ports.limits.maxCheckpointBytes) {
      checkSize((await ports.codec.encode(encodeEnvelope(facts, bytes, ports.digests))).length, ports.limits);
    }
    return { facts, report };
  });
}

/** Verifies a checkpoint's context and returns what to write, with secrets replaced if requested. */
async function screened(
  ports: ImportPorts,
  { checkpoint }: CheckpointPart,
): Promise<{ readonly labels: Partial<CheckpointFacts>; readonly content: PreparedContext; readonly report: SecretsReport | undefined }> {
  const checked = checkContext(checkpoint.context, ports.limits);
  const text = writeText(checked, ports.limits);
  const content = prepareText(checked, text, ports);
  if (content.exactDigest !== checkpoint.facts.exactDigest) {
    throw new WorkrailError("INVALID_INPUT", "Its context does not match its sha256.", { details: { field: "sha256" } });
  }
  const given = { context: () => [text], labels: labelsText(checkpoint.facts) };
  const { report, redacted } = (await ports.secrets?.(given)) ?? {};
  if (redacted === undefined) return { labels: {}, content, report };
  const changed = { context: parseJson(redacted.context) as Context, isCanonical: false };
  return { labels: labelsOf(redacted.labels), content: prepareText(changed, redacted.context, ports), report };
}

interface PlannedImport {
  readonly source: ExportSource;
  readonly session: ExportedSession;
  readonly plan: ImportPlan;
}

async function write(ports: ImportPorts, { source, session, plan }: PlannedImport): Promise<void> {
  let index = 0;
  let expectedHead = plan.head;
  for await (const part of readExport(open(source), ports)) {
    if (part.kind !== "checkpoint") continue;
    const entry = plan.entries[index++];
    if (entry?.action !== "add") continue;
    const { content } = await atPlace(part.place, () => screened(ports, part));
    if (part.checkpoint.facts.id !== entry.exportedId || content.exactDigest !== entry.facts.exactDigest) throw changed();
    await writeImported(ports, { facts: entry.facts, content, expectedHead, session });
    if (entry.facts.kind !== "aside") expectedHead = entry.facts.id;
  }
  if (index < plan.entries.length) throw changed();
}

function changed(): WorkrailError {
  return new WorkrailError("CONFLICT", "The export was changed while it was imported.", {
    hint: "Import it again when no program writes to it. The checkpoints imported so far are complete.",
  });
}

function open(source: ExportSource): AsyncIterable<string> {
  return typeof source === "string" ? oneChunk(source) : source();
}

async function* oneChunk(text: string): AsyncGenerator<string, void, undefined> {
  yield text;
}
