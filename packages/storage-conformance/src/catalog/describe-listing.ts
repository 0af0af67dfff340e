import {
  CHECKPOINT_KINDS,
  type CheckpointFilter,
  type CheckpointId,
  type CheckpointRecord,
  type PageCursor,
  type StorageInUse,
} from "@workrail/core";
import { beforeAll, afterAll, describe, expect, it } from "vitest";
import { append, type GivenRecord, idsOf } from "../append.ts";
import type { StorageHarness } from "../harness.ts";
import { StoreUnderTest, withStore } from "../store-under-test.ts";
import { randomIds } from "../environment.ts";

/** Tests pages of listings, their order, and each filter. */
export function describeListing(harness: StorageHarness): void {
  describe("listing", () => {
    const onStore = (test: (storage: StorageInUse) => Promise<void>) => () => withStore(harness, ({ storage }) => test(storage));

    it(
      "is empty in an empty store",
      onStore(async ({ catalog }) => {
        expect(await catalog.list({ filter: {}, limit: 10, offset: 0 })).toEqual({ records: [], total: 0, next: undefined });
      }),
    );

    it(
      "goes from the newest to the oldest commit, across sessions and whatever the clock says",
      onStore(async (storage) => {
        const sessions = [randomIds.sessionId(), randomIds.sessionId()] as const;
        const records: CheckpointRecord[] = [];
        for (const [index, year] of ["2026", "2020", "2024", "2031", "2020"].entries()) {
          records.unshift(
            await append(storage, { sessionId: sessions[index % 2 === 0 ? 0 : 1], createdAt: new Date(`${year}-01-01T00:00:00Z`) }),
          );
        }
        const page = await storage.catalog.list({ filter: {}, limit: 10, offset: 0 });
        expect(page).toEqual({ records, total: 5, next: undefined });
      }),
    );

    it(
      "comes in pages by offset, each with the total",
      onStore(async (storage) => {
        const ids = await appendMany(storage, 7);
        const page = async (limit: number, offset: number) => {
          const { records, total, next } = await storage.catalog.list({ filter: {}, limit, offset });
          return { ids: idsOf(records), total, goesOn: next !== undefined };
        };
        expect(await page(3, 0)).toEqual({ ids: ids.slice(0, 3), total: 7, goesOn: true });
        expect(await page(3, 3)).toEqual({ ids: ids.slice(3, 6), total: 7, goesOn: true });
        expect(await page(3, 4)).toEqual({ ids: ids.slice(4, 7), total: 7, goesOn: false });
        expect(await page(3, 6)).toEqual({ ids: ids.slice(6), total: 7, goesOn: false });
        expect(await page(3, 7)).toEqual({ ids: [], total: 7, goesOn: false });
        expect(await page(3, 700)).toEqual({ ids: [], total: 7, goesOn: false });
      }),
    );

    it(
      "returns as many as requested, or all",
      onStore(async (storage) => {
        const ids = await appendMany(storage, 25);
        for (const limit of [20, 24, 25, 1_000]) {
          const { records, next } = await storage.catalog.list({ filter: {}, limit, offset: 0 });
          expect({ ids: idsOf(records), goesOn: next !== undefined }).toEqual({ ids: ids.slice(0, limit), goesOn: limit < 25 });
        }
      }),
    );

    it(
      "goes on after a cursor where the page ended, although newer ones were saved",
      onStore(async (storage) => {
        const ids = await appendMany(storage, 7);
        const seen: CheckpointId[] = [];
        let after: PageCursor | undefined;
        do {
          const page = await storage.catalog.list({ filter: {}, limit: 2, offset: 0, after });
          seen.push(...idsOf(page.records));
          after = page.next;
          await append(storage, { sessionId: randomIds.sessionId() });
        } while (after !== undefined);
        expect(seen).toEqual(ids);
      }),
    );

    it(
      "counts an offset from the cursor, and a total without it",
      onStore(async (storage) => {
        const ids = await appendMany(storage, 7);
        const { next } = await storage.catalog.list({ filter: {}, limit: 2, offset: 0 });
        const page = await storage.catalog.list({ filter: {}, limit: 2, offset: 1, after: next });
        expect(idsOf(page.records)).toEqual(ids.slice(3, 5));
        expect(page.total).toBe(7);
      }),
    );

    it(
      "goes on after a cursor whose checkpoint was removed meanwhile",
      onStore(async (storage) => {
        const sessionId = randomIds.sessionId();
        const records: CheckpointRecord[] = [];
        for (let count = 0; count < 4; count++) records.unshift(await append(storage, { sessionId }));
        const other = await append(storage, { sessionId: randomIds.sessionId() });
        const { next } = await storage.catalog.list({ filter: {}, limit: 3, offset: 0 });
        await append(storage, { sessionId }, { keepNewest: 2 });
        const page = await storage.catalog.list({ filter: {}, limit: 10, offset: 0, after: next });
        expect(idsOf(page.records)).toEqual([]);
        expect(await storage.catalog.find(other.id)).toBeDefined();
      }),
    );
  });

  describe("filters", () => {
    let store: StoreUnderTest;
    let ids: Readonly<Record<string, CheckpointId>>;
    beforeAll(async () => {
      store = await StoreUnderTest.create(harness);
      ids = await appendLibrary(store.storage);
    });
    afterAll(() => store.destroy());

    /** Filters, each with the checkpoints that it matches, newest first. */
    it.each<[string, CheckpointFilter, readonly string[]]>([
      ["nothing: all but asides", {}, ["other", "talk", "plan", "draft", "first"]],
      ["asides, when they are asked for", { kinds: ["aside"] }, ["aside"]],
      ["several kinds", { kinds: ["aside", "conversation"] }, ["aside", "talk"]],
      ["no kind", { kinds: [] }, []],
      ["every kind", { kinds: CHECKPOINT_KINDS }, ["other", "aside", "talk", "plan", "draft", "first"]],
      ["a project", { project: "/home/me/app" }, ["plan", "first"]],
      ["a project that is only part of one", { project: "/home/me" }, []],
      ["all but a project, those of none among them", { notProject: "/home/me/app" }, ["other", "talk", "draft"]],
      ["a repository", { repository: "/home/me/app/.git" }, ["draft"]],
      ["a repository that is only part of one", { repository: "/home/me/app" }, []],
      [
        "a project and the worktrees of its repository",
        { project: "/home/me/app", repository: "/home/me/app/.git" },
        ["plan", "draft", "first"],
      ],
      ["only heads", { headsOnly: true }, ["other", "talk"]],
      ["heads of some kind", { headsOnly: true, kinds: ["conversation"] }, ["talk"]],
      ["heads that are none, for newer ones are of another kind", { headsOnly: true, kinds: ["workflow"] }, ["other"]],
      ["a branch, which is a word like others", { query: "LOGIN-form" }, ["draft"]],
      ["a word that only the place of a repository has", { query: "/home/me/app/.git" }, []],
      ["a backslash in the attributes", { query: String.raw`C:\Tools` }, ["other"]],
      ["quotation marks in the attributes", { query: `"quoted"` }, ["other"]],
      ["a workflow", { workflowId: "fix-bug" }, ["draft", "first"]],
      ["an agent", { agentId: "coder" }, ["plan", "first"]],
      ["the phase that ended with it", { phase: "plan" }, ["draft"]],
      ["a phase that is only part of one", { phase: "pla" }, []],
      ["one tag", { tags: ["release"] }, ["plan", "first"]],
      ["all of several tags", { tags: ["release", "v2"] }, ["plan"]],
      ["a tag in another case: that is another tag", { tags: ["Release"] }, []],
      ["part of a tag", { tags: ["rel"] }, []],
      ["no tags at all", { tags: [] }, ["other", "talk", "plan", "draft", "first"]],
      ["part of a name, in any case", { name: "PLAN" }, ["plan", "draft"]],
      ["part of a name beyond ASCII, in any case", { name: "ÄNDERUNG" }, ["talk"]],
      ["a name with a percent sign", { name: "100%" }, ["first"]],
      ["a name with an underscore, which is no wildcard", { name: "n_t" }, []],
      ["a name with a backslash", { name: "\\path" }, ["first"]],
      ["a word of the name", { query: "draft" }, ["draft"]],
      ["a word of a tag, in any case", { query: "RELEASE" }, ["plan", "first"]],
      ["a word of the attributes", { query: "needle" }, ["other"]],
      ["a word of the workflow", { query: "fix-bug" }, ["draft", "first"]],
      ["a word of the agent", { query: "coder" }, ["plan", "first"]],
      ["words in different places, all of which must be there", { query: "plan  coder" }, ["plan"]],
      ["words of which one is nowhere", { query: "plan nowhere" }, []],
      ["a word with wildcards in it", { query: "c%r" }, []],
      ["since a time", { since: new Date("2026-01-03T12:00:00Z") }, ["other", "talk"]],
      ["until a time", { until: new Date("2026-01-02T12:00:00Z") }, ["draft", "first"]],
      ["since the time of one, which is among them", { since: new Date("2026-01-04T00:00:00Z") }, ["other", "talk"]],
      ["until the time of one, which is among them", { until: new Date("2026-01-02T00:00:00Z") }, ["draft", "first"]],
      ["between two times", { since: new Date("2026-01-01T12:00:00Z"), until: new Date("2026-01-03T12:00:00Z") }, ["plan", "draft"]],
      ["several filters, all of which must hold", { workflowId: "fix-bug", agentId: "coder" }, ["first"]],
    ])("by %s", async (_, filter, expected) => {
      const { records, total } = await store.storage.catalog.list({ filter, limit: 10, offset: 0 });
      expect(records.map(({ id }) => Object.keys(ids).find((key) => ids[key] === id))).toEqual(expected);
      expect(total).toBe(expected.length);
    });

    it("by the first characters of an id, in their case, and by no character as a wildcard", async () => {
      const { catalog } = store.storage;
      const one = ids["plan"] as CheckpointId;
      const total = async (filter: CheckpointFilter) => (await catalog.list({ filter, limit: 10, offset: 0 })).total;
      for (const length of [12, one.length]) {
        const { records } = await catalog.list({ filter: { idPrefix: one.slice(0, length) }, limit: 10, offset: 0 });
        expect(idsOf(records)).toEqual([one]);
      }
      expect(await total({ idPrefix: `${one}0` })).toBe(0);
      expect(await total({ idPrefix: one.slice(0, 12).replaceAll(/./gu, "_") })).toBe(0);
      expect(await total({ idPrefix: one.slice(0, 12), kinds: ["workflow"] })).toBe(0);
      expect(await total({ idPrefix: "" })).toBe(5);
    });

    it("by session, with pages and a total of their own", async () => {
      const { catalog } = store.storage;
      const { sessionId } = (await catalog.find(ids["plan"] as CheckpointId)) as CheckpointRecord;
      const first = await catalog.list({ filter: { sessionId }, limit: 2, offset: 0 });
      expect(idsOf(first.records)).toEqual([ids["talk"], ids["plan"]]);
      expect(first.total).toBe(4);
      const second = await catalog.list({ filter: { sessionId }, limit: 2, offset: 0, after: first.next });
      expect(idsOf(second.records)).toEqual([ids["draft"], ids["first"]]);
      expect(second.next).toBeUndefined();
    });

    it("by tags of the session, which count for each of its checkpoints", () =>
      withStore(harness, async ({ storage }) => {
        const tagged = await append(storage, { sessionId: randomIds.sessionId(), tags: ["own"] });
        const plain = await append(storage, { sessionId: randomIds.sessionId(), tags: ["own"] });
        const facts = { createdAt: tagged.createdAt, pins: [], tombstones: [], erasing: [], oldestLive: null, trash: [], shields: [] };
        const sessions = [
          { ...facts, sessionId: tagged.sessionId, tags: ["shared"] },
          { ...facts, sessionId: plain.sessionId, tags: [] },
        ];
        const audit = { at: new Date(), action: "rebuild", sessionId: undefined, checkpointId: undefined, agentId: undefined } as const;
        await storage.locking.exclusively(() => storage.recovery.replaceAll([tagged, plain], sessions, audit));
        expect((await storage.catalog.session(tagged.sessionId))?.tags).toEqual(["shared"]);
        const { records } = await storage.catalog.list({ filter: { tags: ["shared", "own"] }, limit: 10, offset: 0 });
        expect(idsOf(records)).toEqual([tagged.id]);
      }));
  });
}

/** Appends checkpoints to one session and returns their ids, newest first. */
async function appendMany(storage: StorageInUse, count: number): Promise<CheckpointId[]> {
  const sessionId = randomIds.sessionId();
  const ids: CheckpointId[] = [];
  for (let index = 0; index < count; index++) ids.unshift((await append(storage, { sessionId })).id);
  return ids;
}

/** One checkpoint a day from January 1, oldest first; all but `other` are in one session. */
async function appendLibrary(storage: StorageInUse): Promise<Record<string, CheckpointId>> {
  const gitState = { root: "/home/me/app-login", commonDir: "/home/me/app/.git", branch: "login-form" };
  const library: Readonly<Record<string, Omit<GivenRecord, "sessionId">>> = {
    first: {
      name: "100% of C:\\path, not a scheme",
      project: "/home/me/app",
      workflowId: "fix-bug",
      agentId: "coder",
      tags: ["release"],
    },
    draft: { name: "Draft of the plan", workflowId: "fix-bug", agentId: "writer", attributes: { phase: "plan", gitState } },
    plan: { name: "the Plan", project: "/home/me/app", agentId: "coder", tags: ["v2", "release"], kind: "project" },
    talk: { name: "Letzte änderung", project: "/home/me/app/sub", kind: "conversation" },
    aside: { name: "aside", kind: "aside" },
    other: { attributes: { depth: { text: "a Needle in hay" }, phase: ["plan"], place: String.raw`C:\Tools`, said: `"quoted"` } },
  };
  const sessionId = randomIds.sessionId();
  const ids: Record<string, CheckpointId> = {};
  for (const [index, [key, given]] of Object.entries(library).entries()) {
    const createdAt = new Date(Date.UTC(2026, 0, index + 1));
    const session = key === "other" ? randomIds.sessionId() : sessionId;
    ids[key] = (await append(storage, { ...given, sessionId: session, createdAt })).id;
  }
  return ids;
}
