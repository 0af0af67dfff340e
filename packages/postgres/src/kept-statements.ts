import { hash } from "node:crypto";
import type { DatabaseError } from "pg";
import type { Statement } from "./sql-connection.ts";
import { KeptStatementLost } from "./storage-errors.ts";

/** Most statements that a connection keeps. Each takes some 20 KB of the server's memory. */
const MOST_KEPT = 100;
/** Uses after which a statement is planned again: a plan for a small table is slow when it has grown. */
const USES = 500;

/** Tells whether the connections of a pool may keep statements. */
export interface Keeping {
  isOn: boolean;
}

/** Column of an answer. */
export interface Column {
  readonly name: string;
  readonly parse: (text: string) => unknown;
}

interface Kept {
  readonly columns: readonly Column[];
  uses: number;
}

/**
 * Statements that the database keeps for a connection, parsed and planned. Without them parsing and planning takes longer than all else
 * of a short statement.
 *
 * A pool between may give the next transaction another connection to the server, and know nothing of names. Then a statement is missing
 * there, or known already; the transaction fails, nothing is kept from then on, and it is repeated.
 */
export class KeptStatements {
  readonly #keeping: Keeping;
  readonly #kept = new Map<string, Kept>();
  /** Names of statements that the batch under way has sent. */
  #sent = new Set<string>();
  /** True when the batch under way has statements with names. */
  #hasNames = false;

  constructor(keeping: Keeping) {
    this.#keeping = keeping;
  }

  /** Begins a batch. */
  begin(): void {
    this.#sent = new Set();
    this.#hasNames = false;
  }

  /** Tells how to run a statement: under which name, whether it must be parsed first, and the columns of its answer if they are known. */
  use({ name = "" }: Statement): { readonly name: string; readonly isNew: boolean; readonly columns?: readonly Column[] | undefined } {
    const kept = this.#kept.get(name);
    const isFull = kept === undefined && !this.#sent.has(name) && this.#kept.size + this.#sent.size >= MOST_KEPT;
    if (name === "" || !this.#keeping.isOn || isFull) return UNNAMED;
    this.#hasNames = true;
    if (this.#sent.has(name)) return { name, isNew: false };
    if (kept !== undefined && kept.uses < USES) {
      kept.uses += 1;
      return { name, isNew: false, columns: kept.columns };
    }
    this.#kept.delete(name);
    this.#sent.add(name);
    return { name, isNew: true };
  }

  /** Notes that a statement was done. */
  add({ name = "" }: Statement, columns: readonly Column[]): void {
    if (this.#sent.delete(name)) this.#kept.set(name, { columns, uses: 0 });
  }

  /** Returns the error for a failed batch. Keeps no more statements if one was not there as it should be. */
  failed(error: DatabaseError): Error {
    if (!this.#hasNames || !LOST.has(error.code)) return error;
    this.#keeping.isOn = false;
    return new KeptStatementLost(error);
  }
}

/** Returns the name under which a statement is kept. The same for the same text, whichever process and version sent it to the server. */
export function nameOf(text: string): string {
  return `workrail_${hash("sha256", text, "hex").slice(0, 32)}`;
}

/** No such statement, another one of this name, or a plan that no longer fits the tables. */
const LOST: ReadonlySet<string | undefined> = new Set(["26000", "42P05", "0A000"]);

const UNNAMED = { name: "", isNew: true } as const;
