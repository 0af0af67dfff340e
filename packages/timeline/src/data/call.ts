import type { Workrail } from "@workrail/runtime";
import type * as z from "zod";

/** Settings by which a store is cleaned up. */
export interface CleanUpRules {
  /** Days without use after which a session goes to the trash; 0: never. */
  readonly retentionDays: number;
  /** Days in the trash before removal; 0: there is no trash. */
  readonly trashDays: number;
  /** Usage above which the store is cleaned up. */
  readonly cleanUpFromPercent: number;
}

/** The store behind the calls, and what they may do. */
export interface DataPorts {
  readonly store: Workrail;
  /** Root of the project in use; `undefined` outside of any. */
  readonly project: string | undefined;
  /** Option with which a command of the shell finds the store, ready for the shell; `undefined`: it needs none. */
  readonly storeOption?: string | undefined;
  /** Absent: the rules are not known. */
  readonly rules?: CleanUpRules | undefined;
  /** True when calls may change the store. */
  readonly mayWrite: boolean;
  readonly now: () => Date;
}

/** One call of the data API: its parameters, and how the public library answers it. */
export interface Call<Schema extends z.ZodType, Answer> {
  readonly params: Schema;
  /** The call changes the store. */
  readonly writes: boolean;
  readonly run: (ports: DataPorts, params: z.output<Schema>) => Promise<Answer>;
}

export function reading<Schema extends z.ZodType, Answer>(
  params: Schema,
  run: (ports: DataPorts, params: z.output<Schema>) => Promise<Answer>,
): Call<Schema, Answer> {
  return { params, writes: false, run };
}

export function writing<Schema extends z.ZodType, Answer>(
  params: Schema,
  run: (ports: DataPorts, params: z.output<Schema>) => Promise<Answer>,
): Call<Schema, Answer> {
  return { params, writes: true, run };
}
