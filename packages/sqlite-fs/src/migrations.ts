import { initial } from "./migrations/0001-initial.ts";
import { trashAndTotals } from "./migrations/0002-trash-and-totals.ts";
import { checkpointTotals } from "./migrations/0003-checkpoint-totals.ts";
import { shields } from "./migrations/0004-shields.ts";
import { fewerIndexes } from "./migrations/0005-fewer-indexes.ts";
import { auditChain } from "./migrations/0006-audit-chain.ts";
import { erasures } from "./migrations/0007-erasures.ts";
import { rowChecksums } from "./migrations/0008-row-checksums.ts";
import { auditSubject } from "./migrations/0009-audit-subject.ts";
import { attributes } from "./migrations/0010-attributes.ts";

/** A step from one schema to the next. */
export interface Migration {
  readonly sql: string;
  /**
   * True when the step changes rows that have checksums, or the columns of the checksums. Older versions then find the rows damaged
   * and must not read them. Default `false`.
   */
  readonly changesSums?: boolean;
  /** Oldest schema whose Workrail still reads, or writes, the result of this step correctly. */
  readonly minReader: number;
  readonly minWriter: number;
}

/** All migrations in order. The `user_version` of a database is the number of migrations it has had. */
export const MIGRATIONS: readonly Migration[] = [
  { sql: initial, minReader: 1, minWriter: 1 },
  // An older writer would remove the files of checkpoints in the trash.
  { sql: trashAndTotals, minReader: 1, minWriter: 2 },
  // The triggers count for an older writer too.
  { sql: checkpointTotals, minReader: 1, minWriter: 2 },
  // An older writer would remove shielded checkpoints.
  { sql: shields, minReader: 1, minWriter: 4 },
  // An older version only takes longer.
  { sql: fewerIndexes, minReader: 1, minWriter: 4 },
  // An older writer would break the chain.
  { sql: auditChain, minReader: 1, minWriter: 6 },
  // An older writer would remove blobs that are to be erased, and leave traces of them.
  { sql: erasures, minReader: 1, minWriter: 7 },
  // An older writer would change rows without their checksums.
  { sql: rowChecksums, changesSums: true, minReader: 1, minWriter: 8 },
  // An older version names no subject. Only its check of the audit log fails at rows that have one.
  { sql: auditSubject, minReader: 1, minWriter: 8 },
  // The triggers index for an older writer too.
  { sql: attributes, minReader: 1, minWriter: 8 },
];
