import { type CheckpointId, type CheckpointRecord, type JsonObject, parseJson, type StorageInUse } from "@workrail/core";
import { describe, expect, it } from "vitest";
import { append, appendOn, commitRecord, storedRecord } from "../append.ts";
import type { StorageHarness } from "../harness.ts";
import { provided, withStore } from "../store-under-test.ts";
import { randomIds } from "../environment.ts";

/** Tests what a commit appends, and the conditions of an append. */
export function describeAppend(harness: StorageHarness): void {
  const onStore = (test: (storage: StorageInUse) => Promise<void>) => () => withStore(harness, ({ storage }) => test(storage));

  describe("append", () => {
    it(
      "finds nothing in an empty store",
      onStore(async ({ catalog }) => {
        expect(await catalog.find(randomIds.checkpointId())).toBeUndefined();
        expect(await catalog.head(randomIds.sessionId())).toBeUndefined();
      }),
    );

    it(
      "keeps every field of a record as it was given",
      onStore(async (storage) => {
        const sessionId = randomIds.sessionId();
        const given = await storedRecord(storage, { sessionId, ...EVERY_FIELD });
        const outcome = await commitRecord(storage, given);
        const expected = { ...given, sequence: 1, lastAccessedAt: given.createdAt, damaged: false };
        const nothing = { removed: [], shielded: [], moved: [], forgotten: [] };
        expect(outcome).toEqual({ status: "committed", record: expected, ...nothing, bytes: undefined });
        const found = await storage.catalog.find(given.id);
        expect(found).toEqual(expected);
        expect(JSON.stringify(found?.attributes)).toBe(JSON.stringify(given.attributes));
        expect(await storage.catalog.head(sessionId)).toEqual(expected);
      }),
    );

    it(
      "keeps a record without optional fields",
      onStore(async (storage) => {
        const given = await storedRecord(storage, { sessionId: randomIds.sessionId() });
        await commitRecord(storage, given);
        expect(await storage.catalog.find(given.id)).toEqual({ ...given, sequence: 1, lastAccessedAt: given.createdAt, damaged: false });
      }),
    );

    it(
      "keeps keys with escapes, which some versions of V8 misread (`parseJson` of core does not)",
      onStore(async (storage) => {
        const sessionId = randomIds.sessionId();
        // After an object with a backslash as key, `JSON.parse` takes escapes at the same place for that key.
        const attributes = ["\\\\", "\\n", '\\"', "\\u0000"].map((key) => parseJson(`{"h":1,"${key}":2}`) as JsonObject);
        const records: CheckpointRecord[] = [];
        for (const each of attributes) records.push(await append(storage, { sessionId, attributes: each }));
        for (const [index, { id }] of records.entries()) {
          expect(Object.keys((await storage.catalog.find(id))?.attributes ?? {})).toEqual(Object.keys(attributes[index] ?? {}));
        }
      }),
    );

    it(
      "keeps its input when the caller changes it afterwards",
      onStore(async (storage) => {
        const attributes = { kept: "yes", list: [1, 2, 3] };
        const tags = ["one", "two"];
        const record = await append(storage, { sessionId: randomIds.sessionId(), attributes, tags });
        attributes.kept = "no";
        attributes.list.push(4);
        tags.pop();
        expect(await storage.catalog.find(record.id)).toMatchObject({ attributes: { kept: "yes", list: [1, 2, 3] }, tags: ["one", "two"] });
      }),
    );

    it(
      "numbers each session from 1 without gaps",
      onStore(async (storage) => {
        const [left, right] = [randomIds.sessionId(), randomIds.sessionId()];
        const sequences: number[] = [];
        for (const sessionId of [left, right, left, left, right]) sequences.push((await append(storage, { sessionId })).sequence);
        expect(sequences).toEqual([1, 1, 2, 3, 2]);
      }),
    );

    it(
      "takes the last committed for the head, whatever the clock says",
      onStore(async (storage) => {
        const sessionId = randomIds.sessionId();
        await append(storage, { sessionId, createdAt: new Date("2026-06-01T00:00:00.000Z") });
        const second = await append(storage, { sessionId, createdAt: new Date("2020-01-01T00:00:00.000Z") });
        expect((await storage.catalog.head(sessionId))?.id).toBe(second.id);
      }),
    );

    it(
      "never takes an aside for the head",
      onStore(async (storage) => {
        const sessionId = randomIds.sessionId();
        const first = await append(storage, { sessionId });
        const aside = await append(storage, { sessionId, kind: "aside" });
        expect((await storage.catalog.head(sessionId))?.id).toBe(first.id);
        expect((await storage.catalog.find(aside.id))?.id).toBe(aside.id);
        const next = await append(storage, { sessionId }, { expectedHead: first.id });
        expect(next.sequence).toBeGreaterThan(aside.sequence);
      }),
    );
  });

  describe("terms of an append", () => {
    const onSessionOfTwo = (test: (storage: StorageInUse, first: CheckpointRecord, head: CheckpointRecord) => Promise<void>) =>
      onStore(async (storage) => {
        const sessionId = randomIds.sessionId();
        await test(storage, await append(storage, { sessionId }), await append(storage, { sessionId }));
      });

    it(
      "answer `unchanged` when the head has the digest, and use no number up",
      onSessionOfTwo(async (storage, _, head) => {
        const outcome = await appendOn(storage, { sessionId: head.sessionId }, { unlessHeadIs: head.canonicalDigest });
        expect(outcome).toEqual({ status: "unchanged", head });
        expect((await append(storage, { sessionId: head.sessionId })).sequence).toBe(3);
      }),
    );

    it(
      "accept an append when only an older checkpoint has the digest",
      onSessionOfTwo(async (storage, first) => {
        const { sequence } = await append(storage, { sessionId: first.sessionId }, { unlessHeadIs: first.canonicalDigest });
        expect(sequence).toBe(3);
      }),
    );

    it(
      "compare the digest with the head, not with an aside after it",
      onSessionOfTwo(async (storage, _, head) => {
        const { sessionId, canonicalDigest } = head;
        const aside = await append(storage, { sessionId, kind: "aside" });
        expect(await appendOn(storage, { sessionId }, { unlessHeadIs: canonicalDigest })).toEqual({ status: "unchanged", head });
        await append(storage, { sessionId }, { unlessHeadIs: aside.canonicalDigest });
      }),
    );

    it(
      "answer `conflict` when the head is another, and use no number up",
      onSessionOfTwo(async (storage, first, head) => {
        const outcome = await appendOn(storage, { sessionId: head.sessionId }, { expectedHead: first.id });
        expect(outcome).toEqual({ status: "conflict", head });
        expect((await append(storage, { sessionId: head.sessionId })).sequence).toBe(3);
      }),
    );

    it(
      "answer `conflict` when no head was expected",
      onSessionOfTwo(async (storage, _, head) => {
        const outcome = await appendOn(storage, { sessionId: head.sessionId }, { expectedHead: null });
        expect(outcome).toEqual({ status: "conflict", head });
      }),
    );

    it(
      "accept an append when the head is the expected one",
      onSessionOfTwo(async (storage, _, head) => {
        expect((await append(storage, { sessionId: head.sessionId }, { expectedHead: head.id })).sequence).toBe(3);
      }),
    );

    it(
      "answer `exists` when the id is taken, with the record that has it",
      onSessionOfTwo(async (storage, first, head) => {
        const record = await storedRecord(storage, { sessionId: head.sessionId });
        expect(await commitRecord(storage, { ...record, id: first.id })).toEqual({ status: "exists", record: first });
        expect((await append(storage, { sessionId: head.sessionId })).sequence).toBe(3);
      }),
    );

    it(
      "answer `exists` when the id is taken in another session",
      onStore(async (storage) => {
        const taken = await append(storage, { sessionId: randomIds.sessionId() });
        const record = await storedRecord(storage, { sessionId: randomIds.sessionId() });
        expect(await commitRecord(storage, { ...record, id: taken.id })).toEqual({ status: "exists", record: taken });
        expect(await storage.catalog.session(record.sessionId)).toBeUndefined();
      }),
    );

    it(
      "let the first checkpoint of a session pass when none is expected",
      onStore(async (storage) => {
        const outcome = await appendOn(storage, { sessionId: randomIds.sessionId() }, { expectedHead: null });
        expect(outcome.status).toBe("committed");
      }),
    );

    it(
      "answer `conflict` without a head when one is expected of an empty session",
      onStore(async (storage) => {
        const sessionId = randomIds.sessionId();
        const outcome = await appendOn(storage, { sessionId }, { expectedHead: randomIds.checkpointId() });
        expect(outcome).toEqual({ status: "conflict", head: undefined });
        expect(await storage.catalog.session(sessionId)).toBeUndefined();
      }),
    );

    it(
      "decide about the whole change: nothing is applied when the append is declined",
      onStore(async (storage) => {
        const sessionId = randomIds.sessionId();
        const head = await append(storage, { sessionId });
        const record = await storedRecord(storage, { sessionId });
        const terms = { record, unlessHeadIs: head.canonicalDigest, expectedHead: undefined, keepNewest: undefined };
        const at = new Date("2027-01-01T00:00:00.000Z");
        await storage.catalog.commit({
          append: terms,
          pins: { sessionId, pin: ["plan"], release: [] },
          accesses: [{ checkpointId: head.id, at }],
          audit: [],
        });
        expect((await storage.catalog.session(sessionId))?.pins).toEqual([]);
        expect((await storage.catalog.find(head.id))?.lastAccessedAt).toEqual(head.lastAccessedAt);
        expect(await storage.catalog.find(record.id)).toBeUndefined();
      }),
    );

    provided(harness.capabilities.seesBlobs, "`blob-missing`: the catalog does not see the blobs", () => {
      it(
        "include the blob: `blob-missing` when it is gone, committed once it is back",
        onStore(async (storage) => {
          const record = await storedRecord(storage, { sessionId: randomIds.sessionId() });
          await storage.catalog.reclaim([record.blob], (ref) => storage.blobs.remove(ref));
          expect(await commitRecord(storage, record)).toEqual({ status: "blob-missing" });
          expect(await storage.catalog.find(record.id)).toBeUndefined();
          await storage.blobs.put({ sessionId: record.sessionId, checkpointId: record.id }, new TextEncoder().encode("again"));
          expect((await commitRecord(storage, record)).status).toBe("committed");
        }),
      );
    });
  });

  describe("commits at the same time", () => {
    it(
      "are numbered without gaps",
      onStore(async (storage) => {
        const sessionId = randomIds.sessionId();
        const records = await Promise.all(Array.from({ length: 40 }, () => append(storage, { sessionId })));
        expect(sequencesOf(records)).toEqual(Array.from({ length: 40 }, (_, index) => index + 1));
      }),
    );

    it(
      "let one win where all expect the same head",
      onStore(async (storage) => {
        const sessionId = randomIds.sessionId();
        const { id } = await append(storage, { sessionId });
        const outcomes = await Promise.all(Array.from({ length: 20 }, () => appendOn(storage, { sessionId }, { expectedHead: id })));
        expect(outcomes.filter(({ status }) => status === "committed")).toHaveLength(1);
        expect(outcomes.filter(({ status }) => status === "conflict")).toHaveLength(19);
      }),
    );

    it(
      "let one win where all bring the same content",
      onStore(async (storage) => {
        const sessionId = randomIds.sessionId();
        const { canonicalDigest } = await storedRecord(storage, { sessionId });
        const outcomes = await Promise.all(
          Array.from({ length: 20 }, () => appendOn(storage, { sessionId, canonicalDigest }, { unlessHeadIs: canonicalDigest })),
        );
        expect(outcomes.filter(({ status }) => status === "committed")).toHaveLength(1);
        expect(outcomes.filter(({ status }) => status === "unchanged")).toHaveLength(19);
      }),
    );

    provided(harness.capabilities.manyOpeners, "several openers: only one may have a store open", () => {
      it("are numbered without gaps when they come from several openers", () =>
        withStore(harness, async (store) => {
          const sessionId = randomIds.sessionId();
          const openers = [store.storage, await store.openAnother(), await store.openAnother()];
          const records = await Promise.all(openers.flatMap((storage) => Array.from({ length: 10 }, () => append(storage, { sessionId }))));
          expect(sequencesOf(records)).toEqual(Array.from({ length: 30 }, (_, index) => index + 1));
          for (const storage of openers) expect((await storage.catalog.head(sessionId))?.sequence).toBe(30);
        }));
    });
  });
}

/** Awkward values: own `__proto__`, unordered keys, lone surrogates, NUL characters, and letters beyond the first plane. */
const EVERY_FIELD = {
  parentId: "parent_of-it" as CheckpointId,
  kind: "workflow",
  createdAt: new Date("2026-02-28T23:59:59.999Z"),
  agentId: "agent 'one'; --",
  workflowId: 'work "flow" \\ %_',
  project: "/home/ümlaut/проект/😀",
  // Spaces at both ends, and one letter in both of its Unicode forms.
  name: " naïve nai\u0308ve\tname\nwith lines ",
  tags: ["b", "a", "ä", "a\u0308", "😀", "with space", " b", "b,c"],
  attributes: JSON.parse(
    String.raw`{"z":1,"a":{"__proto__":{"own":true}},"__proto__":"own","lone":"\ud800","nul":"\u0000","list":[null,1e21,-0.5,{"":""}],"10":1,"2":2}`,
  ) as JsonObject,
  contextBytes: 4_294_967_297,
  layers: { CRITICAL: 1, IMPORTANT: 0, EPHEMERAL: 12 },
  writer: "workrail/9.9.9-test+build",
} as const;

function sequencesOf(records: readonly CheckpointRecord[]): readonly number[] {
  return records.map(({ sequence }) => sequence).sort((left, right) => left - right);
}
