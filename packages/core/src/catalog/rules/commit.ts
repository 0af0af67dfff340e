import type { CheckpointRecord } from "../../model/checkpoint.ts";
import type { CheckpointId, SessionId } from "../../model/ids.ts";
import { type Append, append, type CommitOutcome } from "./append.ts";
import { inSequence } from "../in-sequence.ts";
import { changed, changesOf, type Edge, KEY_OF, later } from "../rows.ts";
import { type Decision, mapped, nothing, type Rule, rule } from "../rule.ts";
import { forget, type Forgetting } from "./forget.ts";
import { move, type Move } from "./move.ts";
import type { Shield } from "../../model/session.ts";
import type { AuditEvent } from "../../model/audit.ts";
import type { Reads } from "../reads.ts";
import { isShielded } from "../asides.ts";

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
  return mapped(all, (decision) => ({ ...decision, outcome: outcomeOf(decision), withdrawn: undefined }));
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

export interface Relabelling {
  readonly sessionId: SessionId;
  readonly labels: "tags" | "pins";
  readonly add: readonly string[];
  readonly remove: readonly string[];
}

/** Adds labels of a session behind the others, and removes labels. An unknown session is skipped. */
export function relabel({ sessionId, labels, add, remove }: Relabelling): Rule<undefined> {
  return rule({
    reads: { session: { of: "session", id: sessionId } } as const,
    decide({ session }) {
      if (session === undefined) return nothing(undefined);
      const now = [...new Set([...session[labels], ...add])].filter((label) => !remove.includes(label));
      return {
        outcome: undefined,
        rows: [changed("session", session, { ...session, [labels]: now })],
        audit: [],
        touched: [sessionId],
      };
    },
  });
}

/** Ends the erasures of checkpoints. Reads the unfinished ones at once: there are hardly any others. */
export function endErasures(checkpointIds: readonly CheckpointId[]): Rule<undefined> {
  const ended = new Set(checkpointIds);
  return rule({
    reads: { erasures: { of: "erasures" } } as const,
    decide({ erasures }) {
      const rows = erasures.filter(({ checkpointId }) => ended.has(checkpointId));
      return {
        outcome: undefined,
        rows: rows.map((erasure) => changed("erasure", erasure, undefined)),
        audit: [],
        touched: [...new Set(rows.map(({ sessionId }) => sessionId))],
      };
    },
  });
}

/** Adds edges whose dependent is live or in the trash, and drops others. Nothing would ever drop an edge of an unknown dependent. */
export function changeEdges({ add, drop }: { readonly add: readonly Edge[]; readonly drop: readonly Edge[] }): Rule<undefined> {
  const ids = [...new Set(add.map(({ dependent }) => dependent))];
  const named = [...add, ...drop];
  return rule({
    reads: {
      known: { of: "checkpoints", where: { state: "any", ids }, order: "any", limit: ids.length },
      there: { of: "edges", dependents: named.map(({ dependent }) => dependent), bases: named.map(({ base }) => base) },
    } as const satisfies Reads,
    decide({ known, there }) {
      const isKnown = new Set(known.map(({ record }) => record.id));
      const isThere = new Set(there.map(KEY_OF.edge));
      const added = add.filter((edge) => isKnown.has(edge.dependent) && !isThere.has(KEY_OF.edge(edge)));
      const dropped = drop.filter(
        (edge) => isThere.has(KEY_OF.edge(edge)) || added.some((each) => KEY_OF.edge(each) === KEY_OF.edge(edge)),
      );
      return {
        outcome: undefined,
        rows: [...added.map((edge) => changed("edge", undefined, edge)), ...dropped.map((edge) => changed("edge", edge, undefined))],
        audit: [],
      };
    },
  });
}

/** Records a load of a live checkpoint. Loads are reported late and out of order, so times only advance. */
export function touch({ checkpointId: id, at }: { readonly checkpointId: CheckpointId; readonly at: Date }): Rule<undefined> {
  return rule({
    reads: { row: { of: "checkpoint", id } } as const,
    decide({ row }) {
      if (row === undefined || row.trashedAt !== undefined) return nothing(undefined);
      const { record } = row;
      return rule({
        reads: { session: { of: "session", id: record.sessionId } } as const,
        decide({ session }) {
          const used = { ...row, record: { ...record, lastAccessedAt: later(record.lastAccessedAt, at) } };
          const now = session && { ...session, lastAccessedAt: later(session.lastAccessedAt, at) };
          return { outcome: undefined, rows: [changed("checkpoint", row, used), changed("session", session, now)], audit: [] };
        },
      });
    },
  });
}

/** Extends the shield of a live checkpoint. Returns its record afterwards; `undefined` when it is not live. */
export function shield({ checkpointId: id, until }: Shield): Rule<CheckpointRecord | undefined> {
  return rule({
    reads: { row: { of: "checkpoint", id } } as const,
    decide({ row }) {
      if (row === undefined || row.trashedAt !== undefined) return nothing(undefined);
      const { record: before } = row;
      if (isShielded(before, until) || before.shieldedUntil?.getTime() === until.getTime()) return nothing(before);
      const record = { ...before, shieldedUntil: until };
      return { outcome: record, rows: [changed("checkpoint", row, { ...row, record })], audit: [], touched: [record.sessionId] };
    },
  });
}
