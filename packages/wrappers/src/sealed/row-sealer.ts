import {
  changed,
  type Answers,
  type CheckpointRow,
  type LoggedEvent,
  type NewRow,
  type Read,
  type RowChange,
  type SessionRow,
  type SessionWhere,
  type Where,
} from "@workrail/core";
import { openEvent, openLabels, openRecord, sealLabels, sealRecord, sealTags, type TextSealer } from "./seal-record.ts";

/** Session as a listing shows it. */
type ListedSession = Answers["sessions"][number];

/** Conditions on texts of people and agents, which are compared as a whole. */
const TEXTS = ["project", "notProject", "repository", "workflowId", "agentId", "phase"] as const;

/** Translates rows, reads and answers between their plain and their sealed form. */
export class RowSealer {
  readonly #sealer: TextSealer;
  /** The sealed form of each read: an adapter recognises reads that it answered in advance. */
  readonly #reads = new WeakMap<Read, Read>();
  /** The sealed form of each opened row, so that a row that stays is not sealed again. */
  readonly #sealed = new WeakMap<object, object>();

  constructor(sealer: TextSealer) {
    this.#sealer = sealer;
  }

  /** Seals a read. Conditions on attributes, and on a part of a text, are left out: the caller compares the opened rows. */
  sealRead(read: Read): Read {
    const known = this.#reads.get(read) ?? this.#sealedRead(read);
    this.#reads.set(read, known);
    return known;
  }

  openAnswer<R extends Read>(read: R, answer: Answers[R["of"]]): Answers[R["of"]];
  openAnswer(read: Read, answer: unknown): unknown {
    switch (read.of) {
      case "checkpoint":
        return answer === undefined ? undefined : this.#openCheckpoint(answer as CheckpointRow);
      case "checkpoints":
        return (answer as readonly CheckpointRow[]).map((row) => this.#openCheckpoint(row));
      case "session":
        return answer === undefined ? undefined : this.#openSession(answer as SessionRow);
      case "sessions":
        return (answer as readonly ListedSession[]).map((row) => this.#openSession(row));
      case "contradictions": {
        const { sums, edges } = answer as Answers["contradictions"];
        return { sums: sums.map(({ was, now }) => ({ was: this.#openSession(was), now: this.#openSession(now) })), edges };
      }
      case "audit":
        return (answer as readonly LoggedEvent[]).map((event) => openEvent(this.#sealer, event));
      default:
        return answer;
    }
  }

  sealChange(change: RowChange): RowChange {
    switch (change.table) {
      case "checkpoint":
        return changed("checkpoint", this.#sealCheckpoint(change.was), this.#sealCheckpoint(change.now));
      case "session":
        return changed("session", this.#sealSession(change.was), this.#sealSession(change.now));
      default:
        return change;
    }
  }

  sealNewRow(row: NewRow): NewRow {
    return this.sealChange(row) as NewRow;
  }

  #sealedRead(read: Read): Read {
    return "where" in read ? ({ ...read, where: this.#sealWhere(read.where) } as Read) : read;
  }

  /** Names no condition that is not given: adapters recognise frequent conditions by their names. */
  #sealWhere(where: Where | SessionWhere): Where | SessionWhere {
    const { words: _words, name: _name, attributes: _attributes, ...sealed } = where as Record<keyof Where, unknown>;
    for (const field of TEXTS) {
      const text = sealed[field];
      if (typeof text === "string") sealed[field] = this.#sealer.sealText(text);
    }
    if (sealed.tags !== undefined) sealed.tags = sealTags(this.#sealer, sealed.tags as readonly string[]);
    if (sealed.ownTags !== undefined) sealed.ownTags = sealTags(this.#sealer, sealed.ownTags as readonly string[]);
    if (typeof sealed.withoutTag === "string") [sealed.withoutTag] = sealTags(this.#sealer, [sealed.withoutTag]);
    return sealed as Where | SessionWhere;
  }

  #openCheckpoint(row: CheckpointRow): CheckpointRow {
    return this.#opened(row, { ...row, record: openRecord(this.#sealer, row.record) });
  }

  #openSession<R extends SessionRow | undefined>(row: R): R {
    return row === undefined ? row : this.#opened(row, openLabels(this.#sealer, row));
  }

  #opened<R extends object>(sealed: R, plain: R): R {
    this.#sealed.set(plain, sealed);
    return plain;
  }

  #sealCheckpoint(row: CheckpointRow | undefined): CheckpointRow | undefined {
    if (row === undefined) return undefined;
    return (this.#sealed.get(row) as CheckpointRow | undefined) ?? { ...row, record: sealRecord(this.#sealer, row.record) };
  }

  #sealSession(row: SessionRow | undefined): SessionRow | undefined {
    if (row === undefined) return undefined;
    return (this.#sealed.get(row) as SessionRow | undefined) ?? sealLabels(this.#sealer, row);
  }
}
