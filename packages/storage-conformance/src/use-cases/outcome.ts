import { type CheckpointId, isWorkrailError } from "@workrail/core";
import type { Workbench } from "../workbench.ts";
import type { ModelCheckpoint } from "./model-store.ts";

/** Result of a save; `status` is the error code of a failed one. */
export type Outcome =
  | {
      readonly status: "saved";
      readonly id: CheckpointId;
      readonly parentId: CheckpointId | null;
      readonly sequence: number;
      readonly createdAt: Date;
    }
  | { readonly status: string; readonly id?: CheckpointId };

export async function outcomeOf(saving: ReturnType<Workbench["save"]>): Promise<Outcome> {
  try {
    const { status, record } = await saving;
    if (status === "unchanged") return { status, id: record.id };
    const { id, parentId, sequence, createdAt } = record;
    return { status, id, parentId, sequence, createdAt };
  } catch (error) {
    if (isWorkrailError(error)) return { status: error.code };
    throw error;
  }
}

type Facts = Pick<ModelCheckpoint, "id" | "sessionId" | "parentId" | "kind" | "sequence">;

/** Fields of a checkpoint that a store and its model have in common. */
export type Seen = Facts & { readonly text: string | undefined; readonly shieldedUntil: number | undefined };

export function seen(of: Facts & { readonly shieldedUntil: Date | number | undefined }, text: string | undefined): Seen {
  const { id, sessionId, parentId, kind, sequence, shieldedUntil } = of;
  return { id, sessionId, parentId, kind, sequence, text, shieldedUntil: shieldedUntil === undefined ? undefined : Number(shieldedUntil) };
}
