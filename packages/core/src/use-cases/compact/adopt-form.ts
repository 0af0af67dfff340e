import { decodeBlob } from "../../envelope/envelope.ts";
import type { CheckpointRecord } from "../../model/checkpoint.ts";
import { readContext, type ReadPorts } from "../load/read-context.ts";
import { changeForm } from "../../catalog/rules/change-form.ts";
import { commit } from "../../catalog/rules/commit.ts";

/**
 * Corrects a record that describes another form of its blob than the blob has. A process killed between replacing the file and
 * committing the record leaves this state. The blob is verified first.
 *
 * @returns `false` when the blob is gone, or the record was changed meanwhile.
 */
export async function adoptForm(ports: ReadPorts, record: CheckpointRecord): Promise<boolean> {
  const bytes = await ports.blobs.get(record.blob);
  if (bytes === undefined) return false;
  const blob = await decodeBlob(ports, bytes);
  const baseId = blob.kind === "whole" ? null : blob.base;
  if (baseId !== null)
    await ports.catalog.change(commit({ edges: { add: [{ dependent: record.id, base: baseId }], drop: [] }, audit: [] }));
  const becomes = { blobBytes: bytes.length, baseId, keyId: record.keyId };
  return ports.catalog.change(
    changeForm(record, becomes, async () => {
      await readContext(ports, { ...record, damaged: false });
    }),
  );
}
