import { type CheckpointId, isWorkrailError } from "@workrail/core";
import type { Workbench } from "../workbench.ts";
import type { ModelCheckpoint } from "./model-store.ts";

/** What became of a save. */
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

/** What a store and its model have in common. */
export type Seen = Pick<ModelCheckpoint, "id" | "sessionId" | "parentId" | "kind" | "sequence"> & { readonly text: string | undefined };

export function seen({ id, sessionId, parentId, kind, sequence }: Omit<Seen, "text">, text: string | undefined): Seen {
  return { id, sessionId, parentId, kind, sequence, text };
}
