import { describe, expect, it } from "vitest";
import type { Workrail } from "../src/workrail.ts";
import { withSearch } from "./changed-search.ts";
import { withFailingDisk } from "./failing-disk.ts";
import { KINDS, onDisk, refusalOf } from "./stores.ts";

async function save(workrail: Workrail, sessionId: string, context: object): Promise<string> {
  return saveRequest(workrail, { sessionId, context });
}

async function saveRequest(workrail: Workrail, request: Parameters<Workrail["saveCheckpoint"]>[0]): Promise<string> {
  return (await workrail.saveCheckpoint(request)).checkpointId;
}

async function found(workrail: Workrail, query: string, more: object = {}): Promise<string[]> {
  return (await workrail.searchCheckpoints({ query, ...more })).hits.map(({ checkpoint }) => checkpoint.id);
}

describe.each(KINDS)("search in $kind", ({ at }) => {
  it("finds a new save at once, with its session's head and a snippet", () =>
    at(async (place) => {
      await using workrail = await place.open();
      const first = await save(workrail, "a", { plan: "Move the nightly export to another disk." });
      const head = await save(workrail, "a", { plan: "Move the nightly export to another disk.", done: ["Asked for a quota."] });
      await save(workrail, "b", { plan: "Answer the letter of the bank." });
      const { hits, ...rest } = await workrail.searchCheckpoints({ query: "Where do exports go?" });
      expect(rest).toEqual({ durability: workrail.durability });
      expect(hits).toMatchObject([
        { checkpoint: { id: first, sessionId: "a" }, head, snippet: "Move the nightly export to another disk." },
      ]);
      const [{ score, distance } = { score: 0, distance: 0 }] = hits;
      expect(score > 0 && score <= 1).toBe(true);
      expect(score + distance).toBeCloseTo(1);
    }));

  it("finds names, tags, attributes and keys too", () =>
    at(async (place) => {
      await using workrail = await place.open();
      const metadata = { name: "Before the migration", tags: ["postgres"], attributes: { reviewer: "Somebody called Ada" } };
      const id = await saveRequest(workrail, { sessionId: "a", context: { maxRetries: 3 }, metadata });
      for (const query of ["migrations", "postgres", "ada", "max_retries"]) expect(await found(workrail, query)).toEqual([id]);
    }));

  it("finds an identifier by its joined spelling, and a word with an apostrophe", () =>
    at(async (place) => {
      await using workrail = await place.open();
      const id = await save(workrail, "a", { note: "Set max_retries at ten o'clock, says l'utilisateur." });
      for (const query of ["maxretries", "o'clock", "l'utilisateur"]) expect(await found(workrail, query)).toEqual([id]);
    }));

  it("names the checkpoint where a text appeared, and a later one when only the later one matches the filter", () =>
    at(async (place) => {
      await using workrail = await place.open();
      const first = await save(workrail, "a", { notes: ["The cache is stale."] });
      const tagged = await saveRequest(workrail, {
        sessionId: "a",
        context: { notes: ["The cache is stale.", "Deployed."] },
        metadata: { tags: ["release"] },
      });
      await saveRequest(workrail, { sessionId: "a", context: { notes: ["Deployed."] }, metadata: { tags: ["release"] }, force: true });
      expect(await found(workrail, "stale cache")).toEqual([first]);
      expect(await found(workrail, "stale cache", { tags: ["release"] })).toEqual([tagged]);
      expect(await found(workrail, "stale cache", { tags: ["nowhere"] })).toEqual([]);
    }));

  it("names that later one however many others match the filter after it", () =>
    at(async (place) => {
      await using workrail = await place.open();
      const [one, two] = ["one", "two"].map((tag) => ({
        metadata: { tags: [tag], attributes: { retention: "all" } },
        force: true,
        parentId: null,
      }));
      await saveRequest(workrail, { sessionId: "a", context: { notes: ["The cache is stale."] }, ...one });
      const tagged = await saveRequest(workrail, { sessionId: "a", context: { notes: ["The cache is stale."] }, ...two });
      for (let step = 0; step < 101; step++) await saveRequest(workrail, { sessionId: "a", context: { step }, ...two });
      expect(await found(workrail, "stale cache", { tags: ["two"] })).toEqual([tagged]);
    }));

  it("finds a quoted phrase as such", () =>
    at(async (place) => {
      await using workrail = await place.open();
      await save(workrail, "a", { note: "the user of a table" });
      const id = await save(workrail, "b", { note: "a User Table" });
      expect(await found(workrail, '"user table"')).toEqual([id]);
      expect(await found(workrail, '"table user"')).toEqual([]);
      expect(await found(workrail, 'note "user table"')).toEqual([id]);
    }));

  it("finds a quoted part of a path or an identifier", () =>
    at(async (place) => {
      await using workrail = await place.open();
      const id = await save(workrail, "a", { note: "see src/main.ts and foo.getUserName in 第3章です" });
      await save(workrail, "b", { note: "main road, ts; get a user and a name" });
      for (const query of ['"main.ts"', '"getUserName"', '"src/main.ts"', '"第3章"']) expect(await found(workrail, query)).toEqual([id]);
    }));

  it("finds a quoted phrase across the end of a line or sentence, and none across two texts", () =>
    at(async (place) => {
      await using workrail = await place.open();
      const id = await save(workrail, "a", {
        note: `It was moved to the user\n  table. The export ${"took its time and ".repeat(30)}failed.`,
      });
      await save(workrail, "b", { first: "asked the user", second: "table it" });
      expect(await found(workrail, '"user table"')).toEqual([id]);
      expect(await found(workrail, '"table. The export"')).toEqual([id]);
    }));

  it("finds a question that consists of stop-words", () =>
    at(async (place) => {
      await using workrail = await place.open();
      const id = await save(workrail, "a", { note: "To be, or not to be." });
      await save(workrail, "b", { note: "Whether 'tis nobler" });
      const both = await save(workrail, "c", { note: "Not an answer to be had" });
      const { hits, loose } = await workrail.searchCheckpoints({ query: "to be or not to be" });
      expect([hits.map(({ checkpoint }) => checkpoint.id), loose]).toEqual([[id, both], undefined]);
      expect(hits[0]?.snippet).toBe("To be, or not to be.");
      expect(await found(workrail, '"or not to be"')).toEqual([id]);
      expect(await found(workrail, 'answer "to be"')).toEqual([both, id]);
      expect(await found(workrail, "what is it")).toEqual([]);
    }));

  it("finds significant numbers, with their keys", () =>
    at(async (place) => {
      await using workrail = await place.open();
      const context = {
        server: { port: 8443, retries: 3 },
        codes: [500, 503],
        paid: 129.99,
        at: 1_767_225_600_000,
        load: 0.123456,
        ready: true,
      };
      const id = await save(workrail, "a", context);
      const { hits } = await workrail.searchCheckpoints({ query: "8443" });
      expect(hits).toMatchObject([{ checkpoint: { id }, snippet: "port 8443" }]);
      for (const query of ["503", "129.99", '"port 8443"']) expect(await found(workrail, query)).toEqual([id]);
      for (const query of ['"3"', "1767225600000", '"0.123456"', '"true"']) expect(await found(workrail, query)).toEqual([]);
    }));

  it("marks a loose match as loose", () =>
    at(async (place) => {
      await using workrail = await place.open();
      const id = await save(workrail, "a", { note: "authentication" });
      for (const query of ["auth", "authentciation"]) {
        const { hits, loose } = await workrail.searchCheckpoints({ query });
        expect([hits.map(({ checkpoint }) => checkpoint.id), loose]).toEqual([[id], true]);
      }
      expect(await workrail.searchCheckpoints({ query: "zebra" })).toEqual({ hits: [], durability: workrail.durability });
    }));

  it("finds entries of the latest after the checkpoint that added them is pruned, but no removed entries", () =>
    at(async (place) => {
      await using workrail = await place.open({ limits: { maxCheckpoints: 3 } });
      const words = Array.from({ length: 12 }, (_, step) => `word${step}x`);
      for (const step of words.keys()) {
        await save(workrail, "a", { kept: words.slice(0, step + 1), current: `passing${step}x` });
        if (step % 5 === 0) await found(workrail, "word0x");
      }
      for (const word of words) expect([word, (await found(workrail, word)).length]).toEqual([word, 1]);
      expect(await found(workrail, '"passing3x"')).toEqual([]);
      expect(await found(workrail, '"passing10x"')).toHaveLength(1);
    }));

  it("does not find checkpoints in the trash, and finds restored ones", () =>
    at(async (place) => {
      await using workrail = await place.open();
      const id = await save(workrail, "a", { note: "perishable" });
      expect(await found(workrail, "perishable")).toEqual([id]);
      await workrail.cleanUp({ sessionId: "a" });
      expect(await found(workrail, "perishable")).toEqual([]);
      await workrail.restoreFromTrash({ sessionId: "a" });
      expect(await found(workrail, "perishable")).toEqual([id]);
    }));

  it("shows matches of whole words first, then similar meanings and prefixes", () =>
    at(async (place) => {
      await using workrail = await place.open();
      const begins = await save(workrail, "a", { note: "authorial authorial" });
      const means = await save(workrail, "b", { note: "the login form" });
      const whole = await save(workrail, "c", {
        note: "the auth header is lost behind the proxy of the office, which nobody has restarted since spring",
      });
      const { hits, loose } = await workrail.searchCheckpoints({ query: "auth" });
      expect([hits.map(({ checkpoint }) => checkpoint.id), loose]).toEqual([[whole, means, begins], undefined]);
      expect(hits[2]?.snippet).toContain("authorial");
    }));

  it("ranks better texts first, whatever their project, and the own project's first among about equal ones", () =>
    at(async (place) => {
      const other = await place.open({ project: "/other" });
      const better = await save(other, "a", { note: "needle needle needle" });
      await other.close();
      const own = await place.open({ project: "/own" });
      const lesser = await save(own, "b", { note: "a needle in hay, and much more of hay" });
      const first = await save(own, "c", { note: "a lantern of tin" });
      await own.close();
      const later = await place.open({ project: "/other" });
      const same = await save(later, "d", { note: "a lantern of tin" });
      await later.close();
      await using again = await place.open({ project: "/own" });
      expect(await found(again, "needle")).toEqual([better, lesser]);
      expect(await found(again, "needle", { limit: 1 })).toEqual([better]);
      expect(await found(again, "needle", { project: "/own" })).toEqual([lesser]);
      expect(await found(again, "lantern")).toEqual([first, same]);
      expect(await found(again, "lantern", { limit: 1 })).toEqual([first]);
      expect(await found(again, "lantern", { limit: 1, project: null })).toEqual([same]);
    }));

  it("finds checkpoints from before the index existed, and after a rebuild of the catalog", () =>
    at(async (place) => {
      const first = await place.open();
      const id = await save(first, "a", { note: "durable words" });
      await first.close();
      place.loseCatalog();
      await using workrail = await place.open();
      expect(await found(workrail, "durable")).toEqual([id]);
      await workrail.rebuildCatalog();
      const second = await save(workrail, "a", { note: "durable words", more: "later words" });
      expect(await found(workrail, "durable")).toEqual([id]);
      expect(await found(workrail, "later")).toEqual([second]);
    }));

  it("finds pasted text whose quotation marks have another meaning, and marks the match as inexact", () =>
    at(async (place) => {
      await using workrail = await place.open();
      const id = await save(workrail, "a", { note: "ETIMEDOUT at api.stripe.com, third attempt" });
      for (const query of ['{"code":"ETIMEDOUT","attempt":3}', 'Error: "ETIMEDOUT" when calling "https://api.stripe.com/v1/charges"']) {
        expect(await workrail.searchCheckpoints({ query })).toMatchObject({ hits: [{ checkpoint: { id } }], loose: true });
      }
      expect(await found(workrail, '"ETIMEDOUT when calling"')).toEqual([]);
    }));

  it("finds figures with and without adjoining letters", () =>
    at(async (place) => {
      await using workrail = await place.open();
      const id = await save(workrail, "a", { ride: "32km", order: "#W2611340" });
      for (const query of ["32 km", "32km", "2611340", "w2611340"]) expect(await found(workrail, query)).toEqual([id]);
    }));

  it("ranks a text with all words before one with a single word more often", () =>
    at(async (place) => {
      await using workrail = await place.open();
      const both = await save(workrail, "a", { note: "lanterns and harbours" });
      const one = await save(workrail, "b", { note: "lanterns, lanterns" });
      let others = 0;
      for (const word of ["harbours", "harbours", "harbours", "harbours", "meadows", "meadows", "bridges", "bridges", "hills", "hills"]) {
        await save(workrail, `other-${(others += 1)}`, { note: `${word} there` });
      }
      expect((await found(workrail, "lanterns harbours")).slice(0, 2)).toEqual([both, one]);
    }));

  it("refuses invalid queries, and reports the reason", () =>
    at(async (place) => {
      await using workrail = await place.open();
      const wrong = [
        { query: "" },
        { query: "a".repeat(1_001) },
        { query: "a", limit: 0 },
        { query: "a", limit: 101 },
        { query: "a", since: "x" },
      ];
      for (const params of wrong) expect((await refusalOf(workrail.searchCheckpoints(params))).code).toBe("INVALID_INPUT");
    }));
});

describe("search on a machine that stalls for a while", () => {
  it("finds a new save, however late the notice arrives", () =>
    onDisk(async (place) => {
      // Longer than a search waits for the index.
      const stall = 1_200;
      const open = withSearch((search) => ({
        async note(news) {
          await new Promise((resolve) => setTimeout(resolve, stall));
          return search.note(news);
        },
      }));
      await using workrail = await place.open({ adapters: { storage: open } });
      const id = await save(workrail, "a", { note: "a needle" });
      const { hits, indexPending } = await workrail.searchCheckpoints({ query: "needle" });
      expect({ ids: hits.map(({ checkpoint }) => checkpoint.id), indexPending }).toEqual({ ids: [id], indexPending: undefined });
    }));
});

describe("search of a store that is largely unindexed", () => {
  it("finds everything once all is indexed, however long that took", () =>
    onDisk(async (place) => {
      const open = withSearch((search) => ({
        async update(change) {
          // A search alone would wait for two updates.
          await new Promise((resolve) => setTimeout(resolve, 600));
          return search.update(change);
        },
      }));
      await using workrail = await place.open({ adapters: { storage: open } });
      for (const sessionId of ["a", "b", "c", "d"]) await save(workrail, sessionId, { note: `needle of ${sessionId}` });
      const told: number[][] = [];
      await workrail.finishIndex({ onProgress: ({ done, total }) => told.push([done, total]) });
      expect(told[0]).toEqual([0, 4]);
      const { hits, indexPending } = await workrail.searchCheckpoints({ query: "needle" });
      expect({ found: hits.length, indexPending }).toEqual({ found: 4, indexPending: undefined });
    }));
});

describe("finishing the index", () => {
  it("continues when a session takes several turns, such as a very large one, or one that another process indexes too", () =>
    onDisk(async (place) => {
      let refusals = 2;
      const open = withSearch((search) => ({
        update: async (change) => (refusals-- > 0 ? false : search.update(change)),
      }));
      await using workrail = await place.open({ adapters: { storage: open } });
      const id = await save(workrail, "a", { note: "a needle" });
      await workrail.finishIndex();
      expect((await workrail.storeStatus()).search).toMatchObject({ pending: 0 });
      expect(await found(workrail, "needle")).toEqual([id]);
    }));
});

describe("search while the disk cannot be written to", () => {
  it("finds checkpoints on the disk and in memory", () =>
    withFailingDisk(async (disk) => {
      await using workrail = await disk.open();
      const before = await save(workrail, "a", { note: "written needle" });
      disk.writing = "ENOSPC";
      await refusalOf(workrail.saveCheckpoint({ sessionId: "b", context: { note: "kept needle" } }));
      const { hits, degraded } = await workrail.searchCheckpoints({ query: "needle" });
      expect(degraded).toBe(true);
      expect(hits.map(({ checkpoint }) => checkpoint.sessionId).toSorted()).toEqual(["a", "b"]);
      expect(hits.map(({ checkpoint }) => checkpoint.id)).toContain(before);
      disk.writing = undefined;
    }));
});
