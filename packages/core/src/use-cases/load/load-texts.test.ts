import { randomBytes } from "node:crypto";
import { expect, it } from "vitest";
import { type CheckpointId, compactSession, eraseCheckpoints, loadTexts } from "../../index.ts";
import { aStore, S, withMethods } from "../../../../memory/src/testing/a-store.ts";

/** Large enough that a delta saves something, and hard to compress. */
const NOTES = randomBytes(3_000).toString("base64");

it("loads a checkpoint although another one was saved under the id of its base since that was read", async () => {
  const store = aStore();
  const base = "base" as CheckpointId;
  const { id, blob } = await store.saved({ n: 1, notes: NOTES });
  await store.saved({ n: 2, notes: NOTES }, { checkpointId: base });
  await store.saved({ n: 3, notes: NOTES });
  await compactSession(store.ports, S);
  const replaceBase = async (): Promise<void> => {
    await eraseCheckpoints(store.ports, { checkpointIds: [base] });
    await store.saved({ n: 4, notes: NOTES.slice(9) }, { checkpointId: base, parentId: id });
    await store.saved({ n: 5, notes: NOTES });
    await compactSession(store.ports, S);
  };
  let isReplaced = false;
  const blobs = withMethods(store.ports.blobs, {
    async get(ref) {
      if (ref === blob && !isReplaced) {
        isReplaced = true;
        await replaceBase();
      }
      return store.ports.blobs.get(ref);
    },
  });
  const { loaded, failed } = await loadTexts({ ...store.ports, blobs }, [id, base]);
  expect(failed).toEqual([]);
  expect(loaded.map(({ text }) => JSON.parse(text) as unknown)).toEqual([
    { n: 1, notes: NOTES },
    { n: 2, notes: NOTES },
  ]);
  expect((await store.load(id)).record.baseId).toBe(base);
});
