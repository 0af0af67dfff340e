import { type BlobStore, type CheckpointId, type Embedder, WorkrailError } from "@workrail/core";
import { expect, it } from "vitest";
import { aStore, failure, S, withMethods } from "../../memory/src/testing/a-store.ts";
import { MemoryVectors } from "../../memory/src/memory-vectors.ts";
import { embedSession } from "./embed-session.ts";

const SPACE = { name: "test", dimensions: 2 };
const embedder: Embedder = { ...SPACE, embed: async (texts) => texts.map(() => Float32Array.of(1, 0)) };

it("embeds the readable checkpoints before it reports a read error, and embeds the rest after the error has passed", async () => {
  const store = aStore();
  for (const id of ["a", "b", "c"]) await store.saved({ id }, { checkpointId: id as CheckpointId });
  const { blobs } = store.storage;
  const get: BlobStore["get"] = async (ref) => {
    if (ref.endsWith("/b")) throw new WorkrailError("STORAGE_UNAVAILABLE", "It cannot be read.", { details: { reason: "input-output" } });
    return blobs.get(ref);
  };
  const vectors = new MemoryVectors();
  await vectors.note(SPACE, { sessions: [S] }, store.clock.now());
  const ports = { ...store.ports, vectors, embedder, findSecrets: () => [], pause: async () => {} };
  const failing = { ...ports, blobs: withMethods<BlobStore>(blobs, { get }) };
  const [session] = await vectors.pending(SPACE, 1);
  const pending = session as NonNullable<typeof session>;
  expect(await embedSession(failing, SPACE, pending)).toBe(false);
  await expect(embedSession(failing, SPACE, pending)).rejects.toMatchObject(failure("STORAGE_UNAVAILABLE"));
  expect(await vectors.state(SPACE)).toMatchObject({ vectors: 2, pending: 1 });
  expect(await embedSession(ports, SPACE, pending)).toBe(false);
  expect(await embedSession(ports, SPACE, pending)).toBe(true);
  expect(await vectors.state(SPACE)).toMatchObject({ vectors: 3, pending: 0 });
});
