import { isFaultOfOneFile, type WorkrailError } from "../../errors.ts";
import type { CheckpointRecord } from "../../model/checkpoint.ts";
import type { BlobRef, CheckpointId } from "../../model/ids.ts";
import { adoptForm } from "../compact/adopt-form.ts";
import { collectGarbage, type GarbagePorts, type GarbageReport } from "../remove/collect-garbage.ts";
import { isToBeNamed, whyUnreadable } from "../load/get-blob.ts";
import { quarantineDamaged, type QuarantinePorts } from "./quarantine-damaged.ts";
import { type Finding, type VerifyOptions, type VerifyPorts, type VerifyReport, verifyStore } from "./verify-store.ts";
import { reclaimBlobs } from "../../catalog/rules/reclaim.ts";
import { commit } from "../../catalog/rules/commit.ts";
import { reconcile as reconciling } from "../../catalog/rules/reconcile.ts";
import { findCheckpoint } from "../../catalog/queries/query-checkpoints.ts";

export type RepairPorts = VerifyPorts & QuarantinePorts & GarbagePorts;

export interface RepairOptions extends VerifyOptions {
  /** Reports what would be repaired, and changes nothing. Default `false`. */
  readonly dryRun?: boolean | undefined;
  /**
   * Also removes garbage when everything was readable. Checkpoints that a rebuild could have restored from it are then lost.
   * Default `false`.
   */
  readonly collectGarbage?: boolean | undefined;
}

export interface RepairReport extends Omit<VerifyReport, "findings"> {
  /** Findings that were repaired, or with `dryRun` would be. A damaged checkpoint is quarantined and marked; lost data stays lost. */
  readonly repaired: readonly Finding[];
  /** Findings that remain. */
  readonly left: readonly Finding[];
  /** Advice on the remaining findings, and on readable files that belong to no checkpoint. */
  readonly advice: readonly string[];
  /** Absent when no garbage was to be removed, or not everything was readable. */
  readonly garbage?: GarbageReport;
}

/**
 * Verifies the store and repairs what it can without losing data: quarantines damaged files and marks their checkpoints, removes
 * marks of checkpoints that are readable again, and corrects redundant data in the catalog. Safe with concurrent writers. Only a
 * rebuild restores records of unreferenced files; therefore such files are removed on request only.
 *
 * @throws STORAGE_UNAVAILABLE, LOCK_TIMEOUT
 */
export async function repairStore(ports: RepairPorts, options: RepairOptions = {}): Promise<RepairReport> {
  const { findings, ...found } = await verifyStore(ports, { ...options, changesNothing: options.dryRun });
  const repaired: Finding[] = [];
  const left: Finding[] = [];
  await ports.locking.shared(async () => {
    for (const finding of findings) {
      const outcome = options.dryRun === true ? REPAIRS[finding.kind] !== undefined : await putRight(ports, finding);
      if (outcome === true) repaired.push(finding);
      else left.push(outcome === false ? finding : { ...finding, reason: `${finding.reason} ${whyUnreadable(outcome)}` });
    }
  });
  // A file that is unreadable now may still belong to a checkpoint.
  const isAllRead = found.isComplete && !findings.some(({ kind }) => kind === "unreadable");
  if (options.collectGarbage !== true || options.dryRun === true || !isAllRead) {
    return { ...found, repaired, left, advice: adviceOn(left, found.orphans) };
  }
  return { ...found, repaired, left, advice: adviceOn(left, []), garbage: await collectGarbage(ports) };
}

/**
 * Repairs a finding. Returns whether it did, or the error that prevented it: a file of another user, or new damage, must not stop
 * other repairs.
 */
async function putRight(ports: RepairPorts, finding: Finding): Promise<boolean | WorkrailError> {
  try {
    return (await REPAIRS[finding.kind]?.(ports, finding)) === true;
  } catch (error) {
    if (isFaultOfOneFile(error) || isToBeNamed(error)) return error;
    throw error;
  }
}

type Repair = (ports: RepairPorts, finding: Finding) => Promise<boolean>;

const REPAIRS: Readonly<Partial<Record<Finding["kind"], Repair>>> = {
  damaged: (ports, finding) => withRecord(ports, finding, (record) => quarantineDamaged(ports, record, finding.reason)),
  "marked-but-whole": (ports, finding) => withRecord(ports, finding, (record) => adoptForm(ports, record)),
  sums: reconcile,
  "edge-missing": reconcile,
  "session-file": writeSessionFile,
  "orphan-unreadable": putAside,
  leftover: removeLeftovers,
};

async function withRecord(
  ports: RepairPorts,
  { checkpointId }: Finding,
  repair: (record: CheckpointRecord) => Promise<boolean>,
): Promise<boolean> {
  const record = await findCheckpoint(ports.catalog, checkpointId as CheckpointId);
  return record !== undefined && (await repair(record));
}

async function removeLeftovers({ remains }: RepairPorts): Promise<boolean> {
  await remains?.removeLeftovers();
  return true;
}

async function reconcile(ports: RepairPorts): Promise<boolean> {
  await ports.catalog.change(reconciling());
  return true;
}

/** Any change of a session's pins rewrites its file, even an empty change. */
async function writeSessionFile(ports: RepairPorts, { sessionId }: Finding): Promise<boolean> {
  if (sessionId === undefined) return false;
  await ports.catalog.change(commit({ pins: { sessionId, pin: [], release: [] }, audit: [] }));
  return true;
}

async function putAside(ports: RepairPorts, { ref }: Finding): Promise<boolean> {
  const blob = ref as BlobRef;
  const reclaimed = await reclaimBlobs(ports.catalog, [blob], async (_, toBeErased) => {
    await (toBeErased.has(blob) ? ports.blobs.erase([blob]) : ports.blobs.quarantine(blob));
  });
  return reclaimed.length > 0;
}

function adviceOn(left: readonly Finding[], orphans: readonly BlobRef[]): string[] {
  const kinds = new Set(left.map(({ kind }) => kind));
  const advice: (string | false)[] = [
    orphans.length > 0 &&
      "A rebuild restores the checkpoints of files that no record refers to; `workrail repair --collect-garbage` removes the files.",
    kinds.has("facts-differ") && "A rebuild reads the facts of checkpoints from their files.",
    kinds.has("marked") &&
      "A checkpoint stays marked as damaged until its file is restored, its context is saved again under its id, or it is deleted.",
    kinds.has("unreadable") &&
      "Find out why files cannot be read, such as a disk fault, missing permissions or a lost key of a session. They were not changed, and are readable once the cause is fixed.",
    kinds.has("depends-on-damaged") &&
      "Restore the damaged checkpoint's file from a backup and repair again: checkpoints that depend on it are then readable too.",
    kinds.has("newer-version") && "Update Workrail to read checkpoints of a newer version.",
    kinds.has("erasure-unfinished") &&
      "Repair again once no other process reads or copies the store and its disk has free space. This finishes the erasure.",
    kinds.has("too-large") && "Raise maxContextBytes to read larger contexts.",
  ];
  return advice.filter((each) => each !== false);
}
