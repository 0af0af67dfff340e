import type { CheckpointId } from "@workrail/core";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Packs a UUID into sixteen bytes; returns any other id unchanged. */
export function packedId(id: CheckpointId): string | Uint8Array {
  return UUID.test(id) ? Buffer.from(id.replaceAll("-", ""), "hex") : id;
}

/** Restores an id from the result of `packedId`. */
export function unpackedId(packed: string | Uint8Array): CheckpointId {
  if (typeof packed === "string") return packed as CheckpointId;
  const digits = Buffer.from(packed).toString("hex");
  const groups = [digits.slice(0, 8), digits.slice(8, 12), digits.slice(12, 16), digits.slice(16, 20), digits.slice(20)];
  return groups.join("-") as CheckpointId;
}
