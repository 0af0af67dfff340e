import {
  KEEP_TAG,
  isWorkrailError,
  refuseObjectPointer,
  type AuditAction,
  type AuditDigest,
  type AuditEvent,
  type BlobRef,
  type CheckpointRecord,
  type NewRecord,
  type Rewriting,
  type Sealer,
  type SessionFacts,
} from "@workrail/core";
import { openEvent, openLabels, openRecord, sealedPartOf, sealEvent, sealLabels, sealRecord, type TextOpener } from "./seal-record.ts";

/**
 * The two forms of stored data during a conversion: `from` for data not yet converted, `to` for converted data. `undefined` means
 * in clear. When both are sealed, data in clear is not accepted: it was planted.
 */
export interface Forms {
  readonly from: Sealer | undefined;
  readonly to: Sealer | undefined;
}

type TextForms = { readonly [Form in keyof Forms]: TextOpener | undefined };

/** Returns the decrypted bytes; `undefined` when they cannot be opened any more, or do not belong there. */
export async function plainBlob({ from, to }: Forms, ref: BlobRef, bytes: Uint8Array): Promise<Uint8Array | undefined> {
  refuseObjectPointer(bytes);
  const sealers = [to, from].filter((sealer) => sealer !== undefined);
  if (!sealers.some((sealer) => sealer.isSealed(bytes))) return sealers.length === 2 ? undefined : bytes;
  for (const sealer of sealers) {
    const opened = await openedBlob(sealer, ref, bytes);
    if (opened !== undefined) return opened;
  }
  return undefined;
}

/** Opens a blob; `undefined` when it is corrupt or its session's key is missing. */
export async function openedBlob(sealer: Sealer, ref: BlobRef, bytes: Uint8Array): Promise<Uint8Array | undefined> {
  try {
    return await sealer.openBlob(ref, bytes);
  } catch (error) {
    if (isWorkrailError(error) && (error.code === "CHECKPOINT_CORRUPT" || error.code === "KEY_UNAVAILABLE")) return undefined;
    throw error;
  }
}

/**
 * Opens a record.
 *
 * @throws CHECKPOINT_CORRUPT for an unsealed record when both forms are sealed.
 */
function plainRecord<R extends CheckpointRecord | NewRecord>(forms: TextForms, record: R): R {
  return formOf(forms, sealedPartOf(record)) === undefined ? record : openRecord(openerOf(forms), record);
}

/** Opens session facts, without the texts that cannot be opened. */
export function plainFacts(forms: TextForms, facts: SessionFacts): SessionFacts {
  const isReadable = (text: string): boolean => text === KEEP_TAG || canOpen(openerOf(forms), text);
  return openLabels(openerOf(forms), { ...facts, tags: facts.tags.filter(isReadable), pins: facts.pins.filter(isReadable) });
}

/** Returns the rewriting that converts a whole catalog to the new form and records this in the audit log. */
export function rewritingTo(forms: Forms, at: Date): Rewriting {
  const { from, to } = forms;
  const opener = openerOf(forms);
  return {
    record: (record) => sealedBy(to, plainRecord(forms, record), sealRecord),
    labels: (labels) => sealedBy(to, openLabels(opener, labels), sealLabels),
    event: (event: AuditEvent) => sealedBy(to, openEvent(opener, event), sealEvent),
    audit: { at, action: actionOf(forms), sessionId: undefined, checkpointId: undefined, agentId: undefined },
    chained: { from: auditDigestOf(from), to: auditDigestOf(to) },
  };
}

/** Returns the digest that chains the audit log in this form; `undefined` for the catalog's own. */
function auditDigestOf(sealer: Sealer | undefined): AuditDigest | undefined {
  return sealer === undefined ? undefined : (text) => sealer.authenticate(text);
}

function actionOf({ from, to }: Forms): AuditAction {
  if (to === undefined) return "unseal";
  return from === undefined ? "seal" : "rekey";
}

function sealedBy<T>(to: Sealer | undefined, plain: T, seal: (sealer: Sealer, plain: T) => T): T {
  return to === undefined ? plain : seal(to, plain);
}

function openerOf(forms: TextForms): TextOpener {
  return { openText: (text) => formOf(forms, text)?.openText(text) ?? text };
}

/** Returns the opener of a text; `undefined` for an unencrypted text. */
function formOf({ from, to }: TextForms, text: string | undefined): TextOpener | undefined {
  if (to !== undefined && canOpen(to, text)) return to;
  // When both forms are sealed, the expected sealer refuses a text that neither can open.
  return to !== undefined || canOpen(from, text) ? from : undefined;
}

/** True when a text exists and can be opened. */
function canOpen(opener: TextOpener | undefined, text: string | undefined): boolean {
  if (opener === undefined || text === undefined) return false;
  try {
    opener.openText(text);
    return true;
  } catch (error) {
    if (isWorkrailError(error) && error.code === "CHECKPOINT_CORRUPT") return false;
    throw error;
  }
}
