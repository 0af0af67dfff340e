import {
  append,
  type Append,
  type CatalogChange,
  changeForm,
  type ChainedStorage,
  type CheckpointId,
  type CheckpointRecord,
  commit,
  type CommitOutcome,
  type Facts,
  markDamaged,
  type NewRecord,
  type Reads,
  reclaim,
  type Rule,
  type SessionFacts,
  type SessionId,
  verifyAudit,
} from "@workrail/core";
import { describe, expect, it } from "vitest";
import { aRecord } from "../builders.ts";
import { randomIds } from "../environment.ts";
import type { StorageHarness } from "../harness.ts";
import { provided } from "../store-under-test.ts";
import { Twin } from "./twin.ts";

const AT = new Date("2026-01-01T00:00:00.000Z");
const LATER = new Date("2027-03-04T05:06:07.008Z");

/** Tests that a change is applied all or not at all, and that no other change comes between its facts and its decision. */
export function describeTransactions(harness: StorageHarness): void {
  const { manyOpeners, seesBlobs } = harness.capabilities;
  const onStore = (test: (storage: ChainedStorage, twin: Twin) => Promise<void>) => () =>
    Twin.with(harness, (twin) => test(twin.storage, twin));
  const openers = manyOpeners ? (["one opener", "several openers"] as const) : (["one opener"] as const);

  describe("a change", () => {
    it(
      "applies nothing when its rule throws, and the next change succeeds",
      onStore(async (storage, twin) => {
        const failure = new Error("The rule failed.");
        const failing: Rule<void> = {
          reads: {},
          decide: () => {
            throw failure;
          },
        };
        await expect(storage.catalog.change(failing)).rejects.toBe(failure);
        await twin.prove();
        await save(storage);
      }),
    );

    it.each<[string, () => Promise<boolean>]>([
      ["fails", () => Promise.reject(new Error("The disk is away."))],
      ["withdraws it", async () => false],
    ])("applies nothing when its change of blobs %s", (_, blobs) =>
      Twin.with(harness, async (twin) => {
        await twin.putBlob("s" as SessionId, "c" as CheckpointId);
        const record = aRecord({
          id: "c" as CheckpointId,
          sessionId: "s" as SessionId,
          blob: twin.refOf("s" as SessionId, "c" as CheckpointId),
        });
        await twin.change(commit({ append: { ...ANY, record }, audit: [] }));
        const { session, row } = await twin.read({
          session: { of: "session", id: record.sessionId },
          row: { of: "checkpoint", id: record.id },
        });
        const decision = {
          outcome: "done",
          withdrawn: "withdrawn",
          rows: [
            { table: "session", was: session, now: session && { ...session, pins: ["pin"] } } as const,
            { table: "checkpoint", was: row } as const,
          ],
          audit: [{ at: AT, action: "export", sessionId: undefined, checkpointId: undefined, agentId: undefined } as const],
          blobs,
        };
        const outcome = await twin.change({ reads: {}, decide: () => decision }).catch((error: unknown) => String(error));
        expect(["withdrawn", "Error: The disk is away."]).toContain(outcome);
        await twin.prove();
        await twin.reopen();
        await twin.prove();
      }),
    );

    it(
      "rolls back its blobs too, where blobs share its transaction",
      onStore(async (storage, twin) => {
        const { blobs, catalog } = storage;
        if (blobs.sharesTransaction !== true) return;
        const key = { sessionId: "s" as SessionId, checkpointId: "c" as CheckpointId };
        const record = aRecord({ id: key.checkpointId, sessionId: key.sessionId, blob: blobs.refOf(key) });
        const put = async (): Promise<boolean> => (await blobs.put(key, new Uint8Array(9), { ifAbsent: true })) !== undefined;
        const lost = append({ ...ANY, record, put: async () => (await put()) && Promise.reject(new Error("The process was killed.")) });
        await expect(catalog.change(lost)).rejects.toThrow("killed");
        expect(await blobs.get(record.blob)).toBeUndefined();
        expect(await found(storage, record.id)).toBeUndefined();
        expect(await catalog.change(append({ ...ANY, record, put }))).toMatchObject({ status: "committed" });
        await twin.reopen();
        expect(await twin.storage.blobs.get(record.blob)).toEqual(new Uint8Array(9));
        const other = { ...record, id: "d" as CheckpointId };
        expect(await twin.storage.catalog.change(append({ ...ANY, record: other, put: async () => false }))).toEqual({
          status: "blob-missing",
        });
        expect(await found(twin.storage, other.id)).toBeUndefined();
      }),
    );

    it.each<[string, (storage: ChainedStorage, record: CheckpointRecord, work: () => Promise<void>) => Promise<unknown>]>([
      ["replaces", ({ catalog }, record, work) => catalog.change(changeForm(record, { blobBytes: 1, baseId: null, keyId: null }, work))],
      [
        "quarantines",
        ({ catalog }, record, work) => catalog.change(markDamaged(record, quarantined(record), async () => (await work(), true))),
      ],
    ])("that %s a blob lets reads through, and delays other changes", (_, change) =>
      onStore(async (storage) => {
        const record = await save(storage);
        const events: string[] = [];
        const begun = Promise.withResolvers<void>();
        const changing = change(storage, record, async () => {
          expect(await found(storage, record.id)).toEqual(record);
          begun.resolve();
          await longerThanAChange();
          events.push("blob");
        });
        await begun.promise;
        // The save prunes the checkpoint whose blob is being changed.
        await save(storage, { sessionId: record.sessionId, keepNewest: 1 }).finally(() => events.push("saved"));
        expect(await changing).toBe(true);
        expect(events).toEqual(["blob", "saved"]);
        expect(await found(storage, record.id)).toBeUndefined();
      })(),
    );

    it(
      "that removes a blob runs before or after the append that needs it",
      onStore(async (storage) => {
        const record = await stored(storage);
        const events: string[] = [];
        const begun = Promise.withResolvers<void>();
        const reclaiming = reclaimed(storage, record, async () => {
          begun.resolve();
          await longerThanAChange();
          events.push("removed");
        });
        await begun.promise;
        const outcome = await appended(storage, record).finally(() => events.push("appended"));
        expect(await reclaiming).toEqual([record.blob]);
        expect(events).toEqual(["removed", "appended"]);
        expect(outcome.status).toBe(seesBlobs ? "blob-missing" : "committed");
        const second = await stored(storage);
        const [{ status }, taken] = await Promise.all([appended(storage, second), reclaimed(storage, second)]);
        const isThere = (await storage.blobs.get(second.blob)) !== undefined;
        expect(isThere).toBe(taken.length === 0);
        expect(status).toBe(isThere || !seesBlobs ? "committed" : "blob-missing");
        const third = await save(storage);
        expect(await reclaimed(storage, third)).toEqual([]);
      }),
    );

    it(
      "chains its audit rows, whatever their texts",
      onStore(async (storage) => {
        for (const agentId of ["ä 😀", 'a "quote" \\ and\nlines', "lone \ud800", "\u0001"]) {
          const event = {
            at: AT,
            action: "export",
            sessionId: undefined,
            checkpointId: undefined,
            agentId,
            reason: agentId,
            subject: agentId,
          } as const;
          await storage.catalog.change(commit({ audit: [event] }));
        }
        expect(await verifyAudit(storage)).toMatchObject({ rows: 5, findings: [] });
        const { rows } = await storage.catalog.read({ rows: { of: "audit", query: { limit: 5 } } });
        expect(rows.map(({ subject }) => subject?.toWellFormed())).toEqual(rows.map(({ agentId }) => agentId?.toWellFormed()));
        expect(rows.filter(({ subject }) => subject === undefined)).toHaveLength(1);
      }),
    );

    it(
      "is not affected when the caller modifies returned objects",
      onStore(async (storage, twin) => {
        await twin.putBlob("s" as SessionId, "c" as CheckpointId);
        const blob = twin.refOf("s" as SessionId, "c" as CheckpointId);
        const record = aRecord({ id: "c" as CheckpointId, sessionId: "s" as SessionId, blob, tags: ["t"], attributes: { list: [1] } });
        const outcome = await twin.change(commit({ append: { ...ANY, record }, audit: [] }));
        const answers = await storage.catalog.read({
          row: { of: "checkpoint", id: record.id },
          rows: { of: "checkpoints", where: { state: "live" }, order: "any", limit: 9 },
          session: { of: "session", id: record.sessionId },
          audit: { of: "audit", query: {} },
        });
        for (const value of [outcome, answers]) spoil(value);
        await twin.prove();
      }),
    );
  });

  describe.each(openers)("concurrent changes, by %s", (some) => {
    const open = async (twin: Twin): Promise<readonly ChainedStorage[]> =>
      some === "one opener" ? [twin.storage] : [twin.storage, await twin.openAnother(), await twin.openAnother()];

    it("are numbered without gaps, each with its audit row in the chain", () =>
      Twin.with(harness, async (twin) => {
        const storages = await open(twin);
        const sessionId = randomIds.sessionId();
        const all = Array.from({ length: 30 }, (_, index) => storages[index % storages.length] as ChainedStorage);
        const records = await Promise.all(all.map((storage) => save(storage, { sessionId })));
        const numbers = records.map(({ sequence }) => sequence).toSorted((one, other) => one - other);
        expect(numbers).toEqual(Array.from({ length: 30 }, (_, index) => index + 1));
        for (const storage of storages) {
          expect((await storage.catalog.read({ session: { of: "session", id: sessionId } })).session).toMatchObject({
            checkpointCount: 30,
          });
          // One more row is there from the start.
          expect(await verifyAudit(storage)).toMatchObject({ rows: 31, findings: [] });
        }
      }));

    it("let one append win when all expect the same head", () =>
      Twin.with(harness, async (twin) => {
        const storages = await open(twin);
        const { id, sessionId } = await save(twin.storage);
        const outcomes = await Promise.all(
          Array.from({ length: 18 }, async (_, index) => {
            const storage = storages[index % storages.length] as ChainedStorage;
            return appended(storage, await stored(storage, sessionId), { expectedHead: id });
          }),
        );
        expect(outcomes.map(({ status }) => status).toSorted()).toEqual(["committed", ...Array.from({ length: 17 }, () => "conflict")]);
      }));

    it("replace a blob once", () =>
      Twin.with(harness, async (twin) => {
        const storages = await open(twin);
        const record = await save(twin.storage);
        const replacing = storages.concat(storages).map(({ catalog }, index) => {
          const becomes = { blobBytes: index + 1_000, baseId: null, keyId: null };
          return catalog.change(changeForm(record, becomes, async () => undefined));
        });
        expect((await Promise.all(replacing)).filter((isDone) => isDone)).toHaveLength(1);
      }));

    it("do not move a checkpoint that was used before", () =>
      Twin.with(harness, async (twin) => {
        const [mover, user = mover] = (await open(twin)) as [ChainedStorage];
        for (const usesFirst of [true, false, true, false]) {
          const { id, sessionId } = await save(mover);
          const use = () => user.catalog.change(commit({ accesses: [{ checkpointId: id, at: LATER }], audit: [] }));
          const using = usesFirst ? use() : undefined;
          const move = { sessionId, checkpoints: [id], at: AT, reason: "test", from: "live", to: "trash", unlessUsedSince: AT } as const;
          const moving = mover.catalog.change(commit({ move, audit: [] }));
          await (using ?? use());
          const outcome = await moving;
          const { session } = await mover.catalog.read({ session: { of: "session", id: sessionId } });
          const isUsed = session?.lastAccessedAt.getTime() === LATER.getTime();
          expect(outcome.status === "committed" && outcome.moved.length).toBe(isUsed ? 0 : 1);
        }
      }));

    it("keep the session facts of a save when the session is forgotten meanwhile", () =>
      Twin.with(harness, async (twin) => {
        const [forgetter, saver = forgetter] = (await open(twin)) as [ChainedStorage];
        for (let round = 0; round < 5; round++) {
          const { id, sessionId, blob } = await save(forgetter);
          const move = { sessionId, checkpoints: [id], at: AT, reason: "test", from: "live", to: "nowhere" } as const;
          await forgetter.catalog.change(commit({ move, audit: [] }));
          await reclaimed(forgetter, { blob });
          const forget = { sessions: [sessionId], unusedSince: LATER, at: LATER };
          const tags = ["new"];
          await Promise.all([
            forgetter.catalog.change(commit({ forget, audit: [] })),
            save(saver, { sessionId, session: { createdAt: AT, tags, pins: [] } }),
          ]);
          const { session } = await forgetter.catalog.read({ session: { of: "session", id: sessionId } });
          expect(session).toMatchObject({ checkpointCount: 1 });
          const told: SessionFacts[] = [];
          for await (const facts of forgetter.recovery.sessionFacts()) told.push(facts);
          expect(told.find((facts) => facts.sessionId === sessionId)?.tags).toEqual(session?.tags);
        }
      }));

    it("are never partly visible: reads in one call see the same state", () =>
      Twin.with(harness, async (twin) => {
        const storages = await open(twin);
        const sessionId = randomIds.sessionId();
        const saving = (async () => {
          for (let count = 0; count < 25; count++) await save(storages.at(-1) as ChainedStorage, { sessionId });
        })();
        const done = saving.then(() => true);
        const reads = {
          session: { of: "session", id: sessionId },
          count: { of: "count", where: { state: "any", sessionId } },
          head: { of: "places", where: { state: "live", sessionId }, order: "newest", limit: 1 },
          last: { of: "audit", query: { sessionId, limit: 1 } },
        } as const satisfies Reads;
        // Where reads never wait, let the saves go on between them.
        while (!(await Promise.race([done, new Promise<false>((resolve) => setImmediate(resolve, false))]))) {
          const { session, count, head, last }: Facts<typeof reads> = await twin.storage.catalog.read(reads);
          const number = session?.checkpointCount ?? 0;
          expect([count, head[0]?.sequence ?? 0, last[0]?.checkpointId]).toEqual([number, number, head[0]?.id]);
        }
      }));
  });

  provided(manyOpeners, "changes by several openers: only one may have a store open", () => undefined);
}

const ANY = { unlessHeadIs: undefined, expectedHead: undefined, keepNewest: undefined } as const;

/** Long enough for a change that wrongly does not wait to finish first. */
async function longerThanAChange(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 60));
}

async function stored({ blobs }: ChainedStorage, sessionId: SessionId = randomIds.sessionId()): Promise<NewRecord> {
  const checkpointId = randomIds.checkpointId();
  const blob = await blobs.put({ sessionId, checkpointId }, new Uint8Array(1));
  return aRecord({ id: checkpointId, sessionId, createdAt: AT, blob: blob ?? blobs.refOf({ sessionId, checkpointId }) });
}

/** Appends a record with an audit row. */
function appended({ catalog }: ChainedStorage, record: NewRecord, terms: Partial<Append> = {}): Promise<CommitOutcome> {
  const change: CatalogChange = {
    append: { ...ANY, ...terms, record },
    audit: [{ at: AT, action: "save", sessionId: record.sessionId, checkpointId: record.id, agentId: undefined }],
  };
  return catalog.change(commit(change));
}

async function save(
  storage: ChainedStorage,
  { sessionId, ...terms }: Partial<Append> & { readonly sessionId?: SessionId } = {},
): Promise<CheckpointRecord> {
  const outcome = await appended(storage, await stored(storage, sessionId), terms);
  expect(outcome.status).toBe("committed");
  return (outcome as CommitOutcome & { readonly status: "committed" }).record as CheckpointRecord;
}

async function found({ catalog }: ChainedStorage, id: CheckpointId): Promise<CheckpointRecord | undefined> {
  return (await catalog.read({ row: { of: "checkpoint", id } })).row?.record;
}

function reclaimed({ catalog, blobs }: ChainedStorage, { blob }: Pick<NewRecord, "blob">, before = async (): Promise<void> => undefined) {
  return catalog.change(
    reclaim({
      refs: [blob],
      now: AT,
      limit: 9,
      async remove(refs) {
        await before();
        await blobs.remove(refs);
      },
    }),
  );
}

function quarantined({ id, sessionId }: CheckpointRecord) {
  return { at: AT, action: "quarantine", sessionId, checkpointId: id, agentId: undefined } as const;
}

/** Changes every list, time and object within. */
function spoil(value: unknown): void {
  if (value instanceof Date) value.setTime(0);
  else if (typeof value === "object" && value !== null) {
    for (const each of Object.values(value)) spoil(each);
    if (Array.isArray(value)) value.push("spoilt");
    else (value as Record<string, unknown>)["createdAt"] = "spoilt";
  }
}
