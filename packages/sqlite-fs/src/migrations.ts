import { initial } from "./migrations/0001-initial.ts";
import { trashAndTotals } from "./migrations/0002-trash-and-totals.ts";
import { checkpointTotals } from "./migrations/0003-checkpoint-totals.ts";
import { shields } from "./migrations/0004-shields.ts";
import { fewerIndexes } from "./migrations/0005-fewer-indexes.ts";
import { auditChain } from "./migrations/0006-audit-chain.ts";
import { erasures } from "./migrations/0007-erasures.ts";
import { rowChecksums } from "./migrations/0008-row-checksums.ts";

/** A step from one schema to the next. */
export interface Migration {
  readonly sql: string;
  /** Whether rows that say what their sum is say, or are, something else after it: older versions then find them damaged, and must not read them. Default `false`. */
  readonly changesSums?: boolean;
  /** The oldest schema whose Workrail still reads right, or writes right, what this step leaves. */
  readonly minReader: number;
  readonly minWriter: number;
}

/** In order; a database's `user_version` is how many of them it has had. */
export const MIGRATIONS: readonly Migration[] = [
  { sql: initial, minReader: 1, minWriter: 1 },
  // An older writer would remove the files of what is in the trash.
  { sql: trashAndTotals, minReader: 1, minWriter: 2 },
  // Its triggers count for an older writer too.
  { sql: checkpointTotals, minReader: 1, minWriter: 2 },
  // An older writer would remove what handles hold.
  { sql: shields, minReader: 1, minWriter: 4 },
  // An older one only takes longer.
  { sql: fewerIndexes, minReader: 1, minWriter: 4 },
  // An older writer would break the chain.
  { sql: auditChain, minReader: 1, minWriter: 6 },
  // An older writer would remove what is to be erased, and leave its traces.
  { sql: erasures, minReader: 1, minWriter: 7 },
  // An older writer would change rows, and not their sums.
  { sql: rowChecksums, changesSums: true, minReader: 1, minWriter: 8 },
];
