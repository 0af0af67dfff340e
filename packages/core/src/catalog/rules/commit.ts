import type { CheckpointRecord } from "../../model/checkpoint.ts";
import type { SessionId } from "../../model/ids.ts";
import type { CatalogChange, CommitOutcome } from "../../ports/catalog.ts";
import { inSequence } from "../in-sequence.ts";
import { changesOf } from "../rows.ts";
import { type Decision, mapped, type Rule } from "../rule.ts";
import { append } from "./append.ts";
import { changeEdges } from "./change-edges.ts";
import { endErasure } from "./end-erasure.ts";
import { forget } from "./forget.ts";
import { move } from "./move.ts";
import { relabel } from "./relabel.ts";
import { shield } from "./shield.ts";
import { touch } from "./touch.ts";

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
    ...erased.map((id) => part(endErasure(id), none)),
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
