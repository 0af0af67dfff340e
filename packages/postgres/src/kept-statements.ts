import { hash } from "node:crypto";
import type { DatabaseError } from "pg";
import type { Statement } from "./sql-connection.ts";
import { KeptStatementLost } from "./storage-errors.ts";

/** Most statements that a connection keeps. Each takes some 20 KB of the server's memory. */
const MOST_KEPT = 100;
/** Uses after which a statement is planned again: a plan for a small table is slow when it has grown. */
const USES = 500;

/** Tells if the connections of a pool keep statements. Once off, it stays off. */
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

/** One use of a statement. */
interface Use {
  /** Empty for a statement that is not kept. */
  readonly name: string;
  /** True when the statement must be parsed first. */
  readonly isNew: boolean;
  /** Columns of its answer, where they are known. */
  readonly columns?: readonly Column[] | undefined;
}

/**
 * Statements that the database keeps for a connection, parsed and planned. Otherwise parsing and planning takes longer than the rest
 * of a short statement.
 *
 * A pool in between may give the next transaction another connection to the server, where a statement is missing or its name is taken.
 * Then the transaction fails and is repeated, and no connection of this process keeps statements from then on.
 */
export class KeptStatements {
  readonly #keeping: Keeping;
  readonly #kept = new Map<string, Kept>();
  /** Names that the server may have, also those of batches that failed. */
  readonly #taken = new Set<string>();
  /** Names of new statements of the batch under way. */
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

  use({ name = "" }: Statement): Use {
    const isFull = this.#taken.size >= MOST_KEPT && !this.#taken.has(name);
    if (name === "" || isFull || !this.#keeping.isOn) return { name: "", isNew: true };
    this.#hasNames = true;
    if (this.#sent.has(name)) return { name, isNew: false };
    const kept = this.#kept.get(name);
    if (kept !== undefined && kept.uses < USES) {
      kept.uses += 1;
      return { name, isNew: false, columns: kept.columns };
    }
    this.#taken.add(name);
    this.#kept.delete(name);
    this.#sent.add(name);
    return { name, isNew: true };
  }

  /** Notes that a statement was done. */
  add({ name = "" }: Statement, columns: readonly Column[]): void {
    if (this.#sent.delete(name)) this.#kept.set(name, { columns, uses: 0 });
  }

  /** Returns the error for a failed batch: that of the server, or `KeptStatementLost`. */
  failed(error: DatabaseError): Error {
    const isLost = LOST.has(error.code);
    if (!this.#hasNames || (!isLost && !isOutdated(error))) return error;
    if (isLost) this.#keeping.isOn = false;
    else this.#kept.clear();
    return new KeptStatementLost(error);
  }
}

/** Returns the name under which a statement is kept. The same for the same text, whichever process and version sent it to the server. */
export function nameOf(text: string): string {
  return `workrail_${hash("sha256", text, "hex").slice(0, 32)}`;
}

/** No such statement, or another one of this name. */
const LOST: ReadonlySet<string | undefined> = new Set(["26000", "42P05"]);

/** True when a plan no longer fits its tables, after a migration. Known by the function of the server: messages may be in any language. */
function isOutdated({ code, routine }: DatabaseError): boolean {
  return code === "0A000" && routine === "RevalidateCachedQuery";
}
