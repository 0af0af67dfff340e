import fs from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Log, LogFields } from "@workrail/core";
import { type Answer, closeEndpoints, type LocalEndpoint, openEndpoint } from "../../http-endpoint/src/testing/index.ts";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { OpenOptions } from "../src/open-options.ts";
import type { SearchCheckpointsParams, SearchCheckpointsResult } from "../src/search/search-checkpoints.ts";
import type { Workrail } from "../src/workrail.ts";
import { KINDS, onDisk, type Place } from "./stores.ts";

interface Request {
  readonly model: string;
  readonly input: readonly string[];
}

afterEach(closeEndpoints);

/** Groups of words that mean the same to the model of these tests. */
const MEANINGS = [/\b(car|automobile|vehicle)s?\b/i, /\b(disk|storage|drive)s?\b/i, /\b(invoice|bill|payment)s?\b/i];

function vectorOf(text: string, dimensions: number): number[] {
  const known = MEANINGS.map((meaning) => (meaning.test(text) ? 1 : 0.01));
  return [...known, ...Array.from({ length: dimensions - known.length }, () => 0.01)];
}

const knowing =
  (dimensions = 4): Answer<Request> =>
  (response, _, { input }) => {
    response.end(JSON.stringify({ embeddings: input.map((text) => vectorOf(text, dimensions)) }));
  };

function env({ url }: Pick<LocalEndpoint<Request>, "url">, model = "small"): Record<string, string> {
  return { WORKRAIL_EMBEDDER_URL: url, WORKRAIL_EMBEDDER_KIND: "ollama", WORKRAIL_EMBEDDER_MODEL: model };
}

function textsOf(endpoint: LocalEndpoint<Request>): readonly string[] {
  return endpoint.seen.flatMap(({ body }) => body.input);
}

async function save(store: Workrail, sessionId: string, text: string): Promise<string> {
  const { checkpointId } = await store.saveCheckpoint({ sessionId, context: { text } });
  return checkpointId;
}

/** Returns the result of a search after all saves are embedded. */
function settled(store: Workrail, params: SearchCheckpointsParams, vectors: number): Promise<SearchCheckpointsResult> {
  return vi.waitFor(
    async () => {
      const result = await store.searchCheckpoints({ limit: 100, ...params });
      expect(result.meaning?.pending).toBeUndefined();
      expect(result.hits.length).toBe(vectors);
      return result;
    },
    { timeout: 60_000, interval: 50 },
  );
}

function foundBy({ hits }: SearchCheckpointsResult): readonly (readonly [string, string])[] {
  return hits.map(({ checkpoint, by }) => [checkpoint.id, by ?? "words"]);
}

describe.each(KINDS.filter(({ kind }) => kind !== "files alone"))("in $kind", ({ at }) => {
  const using = (test: (place: Place, endpoint: LocalEndpoint<Request>, options: OpenOptions) => Promise<void>) =>
    at(async (place) => {
      const endpoint = await openEndpoint(knowing());
      await test(place, endpoint, { env: env(endpoint) });
    });

  it("ranks matches by meaning behind matches by words, and marks them", () =>
    using(async (place, _, options) => {
      await within(place, options, async (store) => {
        const car = await save(store, "a", "The automobile needs new brakes.");
        const word = await save(store, "b", "A vehicle registration form, in green.");
        const other = await save(store, "c", "The invoice was sent twice.");
        const result = await settled(store, { query: "registration of cars" }, 3);
        expect(foundBy(result)).toEqual([
          [word, "words"],
          [car, "meaning"],
          [other, "meaning"],
        ]);
        const scores = result.hits.map(({ score }) => score);
        expect(scores).toEqual(scores.toSorted((left, right) => right - left));
        expect(result.hits.every(({ score, distance }) => score > 0 && Math.abs(score + distance - 1) < 1e-9)).toBe(true);
        expect(result.meaning).toEqual({ embedder: "small" });
        const { search, vectors } = await store.storeStatus();
        const kept = { pending: search?.pending, spaces: vectors?.spaces };
        const space = { name: "small", dimensions: expect.any(Number) as number, pending: 0, vectors: 3 };
        expect(kept).toEqual(store.durability === "disk" ? { pending: 0, spaces: [space] } : {});
      });
    }));

  it("calls no endpoint when words fill the result, or must occur literally", () =>
    using(async (place, endpoint, options) => {
      await within(place, options, async (store) => {
        await save(store, "a", "The automobile needs new brakes.");
        await settled(store, { query: "vehicle" }, 1);
        endpoint.seen.length = 0;
        const full = await store.searchCheckpoints({ query: "brakes of the vehicle", limit: 1 });
        const phrase = await store.searchCheckpoints({ query: '"vehicle"' });
        expect([full.hits.length, full.meaning, phrase.hits.length, phrase.meaning]).toEqual([1, undefined, 0, undefined]);
        expect(endpoint.seen).toEqual([]);
      });
    }));

  it("applies the filters to matches by meaning", () =>
    using(async (place, _, options) => {
      await within(place, options, async (store) => {
        const mine = await save(store, "mine", "The automobile needs new brakes.");
        await save(store, "other", "The automobile needs new tyres.");
        await settled(store, { query: "vehicle" }, 2);
        expect(foundBy(await store.searchCheckpoints({ query: "vehicle", sessionId: "mine" }))).toEqual([[mine, "meaning"]]);
        for (const filter of [
          { project: "/elsewhere" },
          { tags: ["none"] },
          { since: "2100-01-01" },
          { agentId: "nobody" },
          { kinds: ["aside" as const] },
        ]) {
          expect((await store.searchCheckpoints({ query: "vehicle", ...filter })).hits).toEqual([]);
        }
      });
    }));

  it("sends no secret, and only new texts", () =>
    using(async (place, endpoint, options) => {
      await within(place, options, async (store) => {
        const token = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
        await store.saveCheckpoint({ sessionId: "a", context: { old: "The old plan.", key: token } });
        await store.saveCheckpoint({
          sessionId: "a",
          context: { old: "The old plan.", key: token, next: "The newest plan." },
          metadata: { name: "Go on" },
        });
        await settled(store, { query: `vehicle ${token}` }, 2);
        const texts = textsOf(endpoint);
        expect(texts.join("\n")).not.toContain(token);
        expect(texts.some((text) => text.startsWith("The old plan."))).toBe(true);
        expect(texts).toContain("Go on\nThe newest plan.\nnext");
        expect(texts.some((text) => /^vehicle \[.*_1\]$/.test(text))).toBe(true);
      });
    }));

  it("forgets pruned checkpoints", () =>
    using(async (place, _, options) => {
      await within(place, { ...options, limits: { maxCheckpoints: 2 } }, async (store) => {
        await save(store, "a", "The automobile needs new brakes.");
        await settled(store, { query: "vehicle" }, 1);
        const left = [await save(store, "a", "The disk is full."), await save(store, "a", "The invoice was sent twice.")];
        const result = await settled(store, { query: "vehicle" }, 2);
        expect(
          foundBy(result)
            .map(([id]) => id)
            .toSorted(),
        ).toEqual(left.toSorted());
      });
    }));

  it("searches by words while the endpoint is down, reports the reason, and catches up when it is back", () =>
    at(async (place) => {
      let isDown = true;
      const endpoint = await openEndpoint<Request>((response, call, body) =>
        isDown ? response.writeHead(401).end() : knowing()(response, call, body),
      );
      let now = Date.parse("2026-03-01T12:00:00Z");
      const logged: string[] = [];
      const options = { env: env(endpoint), adapters: { clock: { now: () => new Date(now) }, log: noting(logged) } };
      await within(place, options, async (store) => {
        const id = await save(store, "a", "The automobile needs new brakes.");
        for (let times = 0; times < 3; times += 1) {
          const result = await store.searchCheckpoints({ query: "brakes" });
          expect(foundBy(result)).toEqual([[id, "words"]]);
          expect(result.meaning).toEqual({ embedder: "small", failed: "The endpoint answered with status 401." });
        }
        // The query and the saved text may both be in progress at first.
        expect(endpoint.seen.length).toBeLessThanOrEqual(2);
        expect(logged.filter((message) => message.includes("embedder failed"))).toHaveLength(1);
        isDown = false;
        now += 60_000;
        await save(store, "b", "The drive is full.");
        const result = await settled(store, { query: "vehicle" }, 2);
        expect(foundBy(result)[0]).toEqual([id, "meaning"]);
        expect(logged.some((message) => message.includes("answers again"))).toBe(true);
      });
    }));
});

describe("on the disk", () => {
  it("embeds each checkpoint once, whichever process opens the store, and again for another model", () =>
    onDisk(async (place) => {
      const endpoint = await openEndpoint(knowing());
      await within(place, { env: env(endpoint) }, async (store) => {
        await save(store, "a", "The automobile needs new brakes.");
        await settled(store, { query: "vehicle" }, 1);
      });
      endpoint.seen.length = 0;
      await within(place, { env: env(endpoint) }, async (store) => {
        await save(store, "b", "The drive is full.");
        await settled(store, { query: "vehicle" }, 2);
      });
      expect(textsOf(endpoint).some((text) => text.includes("brakes"))).toBe(false);
      endpoint.seen.length = 0;
      await within(place, { env: env(endpoint, "other") }, (store) => settled(store, { query: "vehicle" }, 2));
      expect(textsOf(endpoint).some((text) => text.includes("brakes"))).toBe(true);
      expect(new Set(endpoint.seen.map(({ body }) => body.model))).toEqual(new Set(["other"]));
      endpoint.seen.length = 0;
      await within(place, { env: env(endpoint) }, (store) => settled(store, { query: "vehicle" }, 2));
      expect(textsOf(endpoint).some((text) => text.includes("brakes"))).toBe(false);
    }));

  it("keeps the vectors of models in use, and removes those unused for a week", () =>
    onDisk(async (place) => {
      const endpoint = await openEndpoint(knowing());
      let now = Date.parse("2026-03-01T12:00:00Z");
      const embedding = (model: string): OpenOptions => ({
        // The same driver as this test uses: two in one process break each other's locks.
        env: { ...env(endpoint, model), WORKRAIL_SQLITE_DRIVER: "node:sqlite" },
        adapters: { clock: { now: () => new Date(now) } },
      });
      const brakes = (): number => textsOf(endpoint).filter((text) => text.includes("brakes")).length;
      await within(place, embedding("old"), async (store) => {
        await save(store, "a", "The automobile needs new brakes.");
        await settled(store, { query: "vehicle" }, 1);
      });
      for (const models of [["new", "old"], ["new"]]) {
        await within(place, embedding("new"), async (store) => {
          await settled(store, { query: "vehicle" }, 1);
          await vi.waitFor(() => expect(modelsIn(place)).toEqual(models), { timeout: 60_000 });
        });
        expect(brakes()).toBe(2);
        now += 8 * 86_400_000;
      }
    }));

  it("finds checkpoints restored from the trash", () =>
    onDisk(async (place) => {
      const endpoint = await openEndpoint(knowing());
      await within(place, { env: env(endpoint) }, async (store) => {
        const back = await save(store, "a", "The automobile needs new brakes.");
        await settled(store, { query: "vehicle" }, 1);
        await store.cleanUp({ sessionId: "a" });
        await settled(store, { query: "vehicle" }, 0);
        await store.restoreFromTrash({ sessionId: "a" });
        const other = await save(store, "b", "The invoice was sent twice.");
        expect(foundBy(await settled(store, { query: "vehicle" }, 2))).toEqual([
          [back, "meaning"],
          [other, "meaning"],
        ]);
      });
    }));

  it("embeds saves that were made without an embedder, and lost vectors again", () =>
    onDisk(async (place) => {
      const endpoint = await openEndpoint(knowing());
      await within(place, {}, async (store) => {
        await save(store, "a", "The automobile needs new brakes.");
        expect((await store.searchCheckpoints({ query: "vehicle" })).meaning).toBeUndefined();
      });
      expect(fs.existsSync(path.join(place.dataDir, "vectors.db"))).toBe(false);
      for (const times of [1, 2]) {
        await within(place, { env: env(endpoint) }, (store) => settled(store, { query: "vehicle" }, 1));
        for (const name of fs.readdirSync(place.dataDir)) if (name.startsWith("vectors.db")) fs.rmSync(path.join(place.dataDir, name));
        expect(textsOf(endpoint).filter((text) => text.includes("brakes"))).toHaveLength(times);
      }
    }));

  it("forgets removed checkpoints even without an embedder", () =>
    onDisk(async (place) => {
      const endpoint = await openEndpoint(knowing());
      await within(place, { env: env(endpoint) }, async (store) => {
        for (const session of ["a", "b"]) await save(store, session, "The automobile needs new brakes.");
        await settled(store, { query: "vehicle" }, 2);
      });
      await within(place, {}, async (store) => {
        await store.cleanUp({ sessionId: "a", permanently: true });
      });
      endpoint.seen.length = 0;
      const database = new DatabaseSync(path.join(place.dataDir, "vectors.db"));
      expect(database.prepare("SELECT session_id FROM vector").all()).toEqual([{ session_id: "b" }]);
      database.close();
    }));

  it("names missing settings", () =>
    onDisk(async (place) => {
      await within(place, { env: { WORKRAIL_EMBEDDER_MODEL: "small" } }, async (store) => {
        await save(store, "a", "The automobile needs new brakes.");
        const result = await store.searchCheckpoints({ query: "brakes" });
        expect(result.hits).toHaveLength(1);
        expect(result.meaning).toEqual({ embedder: "none", failed: "No model is used: WORKRAIL_EMBEDDER_URL must be set." });
      });
    }));

  it("reports that there is no place for vectors without SQLite", () =>
    onDisk(
      async (place) => {
        const endpoint = await openEndpoint(knowing());
        await within(place, { env: env(endpoint) }, async (store) => {
          await save(store, "a", "The automobile needs new brakes.");
          const result = await store.searchCheckpoints({ query: "brakes" });
          expect([result.hits.length, result.meaning?.failed]).toEqual([1, expect.stringContaining("no place for vectors")]);
          expect(endpoint.seen).toEqual([]);
        });
      },
      { WORKRAIL_SQLITE_DRIVER: "none" },
    ));

  it("closes at once while the endpoint is working", () =>
    onDisk(async (place) => {
      const endpoint = await openEndpoint<Request>(() => undefined);
      const store = await place.open({ env: { ...env(endpoint), WORKRAIL_EMBEDDER_TIMEOUT_MS: "120000" } });
      await save(store, "a", "The automobile needs new brakes.");
      await vi.waitFor(() => expect(endpoint.seen.length).toBeGreaterThan(0), { timeout: 60_000 });
      const begun = performance.now();
      await store.close();
      expect(performance.now() - begun).toBeLessThan(30_000);
    }));
});

async function within(place: Place, options: OpenOptions, test: (store: Workrail) => Promise<unknown>): Promise<void> {
  const store = await place.open(options);
  try {
    await test(store);
  } finally {
    await store.close();
  }
}

function modelsIn({ dataDir }: Place): readonly unknown[] {
  const database = new DatabaseSync(path.join(dataDir, "vectors.db"));
  const rows = database.prepare("SELECT name FROM space ORDER BY name").all();
  database.close();
  return rows.map(({ name }) => name);
}

function noting(logged: string[]): Log {
  const note = (message: string, _fields?: LogFields): void => void logged.push(message);
  return { debug: () => undefined, info: note, warn: note, error: note };
}
