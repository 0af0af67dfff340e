import type { CheckpointRecord } from "../../model/checkpoint.ts";
import type { SessionId, CheckpointId } from "../../model/ids.ts";
import type { CommitOutcome, Append } from "./append.ts";
import { inSequence } from "../in-sequence.ts";
import { changesOf, type Edge } from "../rows.ts";
import { type Decision, mapped, type Rule } from "../rule.ts";
import { append } from "./append.ts";
import { changeEdges } from "./change-edges.ts";
import { endErasures } from "./end-erasures.ts";
import { forget, type Forgetting } from "./forget.ts";
import { move, type Move } from "./move.ts";
import { relabel } from "./relabel.ts";
import { shield } from "./shield.ts";
import { touch } from "./touch.ts";
import type { Shield } from "../../model/session.ts";
import type { AuditEvent } from "../../model/audit.ts";

/** Changes that one commit applies. One commit either appends or moves. */
export type CatalogChange = CommonChange &
  ({ readonly append?: Append; readonly move?: never } | { readonly append?: never; readonly move?: Move });

/** Parts of a change that go with an append and with a move. */
interface CommonChange {
  /** Entries to pin or to unpin in a session. Pinning twice, or unpinning an entry that is not pinned, changes nothing. */
  readonly pins?: { readonly sessionId: SessionId; readonly pin: readonly string[]; readonly release: readonly string[] };
  /** Tags to add to a session, or to remove from it. */
  readonly tags?: { readonly sessionId: SessionId; readonly add: readonly string[]; readonly remove: readonly string[] };
  /** Checkpoints whose erasure is complete. */
  readonly erased?: readonly CheckpointId[];
  readonly forget?: Forgetting;
  /**
   * Edges "dependent needs the bytes of base". They are a superset of the real dependencies: add an edge before replacing a blob,
   * drop it afterwards. An edge whose dependent is not live is not added, because nothing would ever drop it.
   */
  readonly edges?: { readonly add: readonly Edge[]; readonly drop: readonly Edge[] };
  /**
   * Shields for live checkpoints, including the appended one, against automatic removal. A shield is only ever extended. Unknown
   * checkpoints and those in the trash are skipped; `shielded` of the outcome lists the others.
   */
  readonly shields?: readonly Shield[];
  /** Loads since the last commit. Unknown checkpoints are skipped. */
  readonly accesses?: readonly { readonly checkpointId: CheckpointId; readonly at: Date }[];
  /**
   * Audit rows written in the same transaction as the change, and only if the change is applied. Each is chained to the row before
   * it.
   */
  readonly audit: readonly AuditEvent[];
}

type Committed = Extract<CommitOutcome, { status: "committed" }>;

/** Outcome of one rule of a change. */
interface Part {
  readonly appended?: CommitOutcome;
  readonly moved?: readonly CheckpointRecord[];
  readonly forgotten?: readonly SessionId[];
  readonly shielded?: readonly CheckpointRecord[];
}

/** Applies a change of several parts, in this order: append or move, erasures, sessions, labels, edges, loads, shields, audit. */
export function commit(change: CatalogChange): Rule<CommitOutcome> {
  const all = inSequence(partsOf(change), ({ appended }) => appended === undefined || appended.status === "committed");
  const whole: Rule<readonly Part[]> = "reads" in all ? all : { reads: {}, decide: () => all };
  return mapped(whole, (decision) => ({ ...decision, outcome: outcomeOf(decision), withdrawn: undefined }));
}

function partsOf(change: CatalogChange): readonly Rule<Part>[] {
  const { pins, tags, edges, forget: forgetting, erased = [], accesses = [], shields = [], audit } = change;
  return [
    ...(change.append === undefined ? [] : [part(append(change.append), (appended) => ({ appended }))]),
    ...(change.move === undefined ? [] : [part(move(change.move), (moved) => ({ moved }))]),
    ...(erased.length === 0 ? [] : [part(endErasures(erased), none)]),
    ...[...new Set(forgetting?.sessions)].flatMap((id) => {
      return forgetting === undefined ? [] : [part(forget(id, forgetting), (forgotten) => ({ forgotten }))];
    }),
    ...(pins === undefined ? [] : [part(relabel({ ...pins, labels: "pins", add: pins.pin, remove: pins.release }), none)]),
    ...(tags === undefined ? [] : [part(relabel({ ...tags, labels: "tags" }), none)]),
    ...(edges === undefined ? [] : [part(changeEdges(edges), none)]),
    ...accesses.map((access) => part(touch(access), none)),
    ...shields.map((each) => part(shield(each), (record) => ({ shielded: record === undefined ? [] : [record] }))),
    { reads: {}, decide: () => ({ outcome: {}, rows: [], audit }) },
  ];
}

function part<Out>(of: Rule<Out>, toPart: (outcome: Out) => Part): Rule<Part> {
  return mapped(of, ({ outcome, rows, audit, touched, forgotten }) => ({ outcome: toPart(outcome), rows, audit, touched, forgotten }));
}

function none(): Part {
  return {};
}

function outcomeOf({ outcome: parts, rows }: Decision<readonly Part[]>): CommitOutcome {
  const appended = parts.find((each) => each.appended !== undefined)?.appended ?? NOTHING_APPENDED;
  if (appended.status !== "committed") return appended;
  const current = new Map(changesOf("checkpoint", rows).flatMap(({ now }) => (now === undefined ? [] : [[now.record.id, now.record]])));
  return {
    ...appended,
    record: appended.record && (current.get(appended.record.id) ?? appended.record),
    moved: parts.flatMap(({ moved = [] }) => moved),
    forgotten: parts.flatMap(({ forgotten = [] }) => forgotten),
    shielded: [...new Map(parts.flatMap(({ shielded = [] }) => shielded).map((record) => [record.id, record])).values()],
  };
}

const NOTHING_APPENDED: Committed = {
  status: "committed",
  record: undefined,
  removed: [],
  shielded: [],
  moved: [],
  forgotten: [],
  bytes: undefined,
};
