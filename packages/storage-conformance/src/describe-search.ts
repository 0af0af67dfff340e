import type {
  AskedTerm,
  ChangePosition,
  CheckpointId,
  IndexChange,
  IndexFilter,
  IndexHit,
  IndexQuery,
  PageOfMatches,
  SearchEngine,
  SessionId,
  TextOfCheckpoint,
} from "@workrail/core";
import { describe, expect, it } from "vitest";

export interface SearchHarness {
  /** Prefix of the names of all tests. */
  readonly name: string;
  /** Creates an empty index, which the suite closes. */
  open(): Promise<SearchEngine>;
}

/** Tests a search index: its notes and content, the texts that match terms and filters, and their order. */
export function describeSearch(harness: SearchHarness): void {
  /** Gives a test an empty index, which is closed afterwards. */
  const withIndex =
    (test: (index: SearchEngine) => Promise<void>): (() => Promise<void>) =>
    async () => {
      const index = await harness.open();
      try {
        await test(index);
      } finally {
        await index.close();
      }
    };

  describe(`${harness.name}: progress of the index`, () => {
    it(
      "is empty at first, without a position",
      withIndex(async (index) => {
        expect(await index.state()).toEqual({ position: undefined, pending: 0 });
        expect(await index.pending(10)).toEqual([]);
        expect(await index.indexed(SESSION)).toEqual({ version: 0, checkpoints: [] });
        expect(await found(index, ["word"])).toEqual([]);
      }),
    );

    it(
      "lists noted sessions in their order, until they are done",
      withIndex(async (index) => {
        await index.note({ position: at("1"), sessions: [extended("b"), extended("a")] });
        await index.note({ sessions: [{ sessionId: session("c"), isExtended: false }] });
        expect(await index.state()).toEqual({ position: "1", pending: 3 });
        expect((await index.pending(2)).map(({ sessionId }) => sessionId)).toEqual(["b", "a"]);
        await put(index, [text("one", ["word"])], { sessionId: session("b") });
        expect((await index.pending(9)).map(({ sessionId }) => sessionId)).toEqual(["a", "c"]);
      }),
    );

    it(
      "reports a session as extended only if every note says so",
      withIndex(async (index) => {
        await index.note({ sessions: [extended("a"), { sessionId: session("b"), isExtended: false }] });
        await index.note({ sessions: [extended("a"), extended("b")] });
        expect(await index.pending(9)).toEqual([extended("a"), { sessionId: "b", isExtended: false }]);
      }),
    );

    it(
      "keeps a session pending whose update is not done",
      withIndex(async (index) => {
        await index.note({ sessions: [extended("a")] });
        await put(index, [text("one", ["word"])], { sessionId: session("a"), isDone: false });
        expect(await index.pending(9)).toEqual([extended("a")]);
      }),
    );

    it(
      "is emptied by a restart",
      withIndex(async (index) => {
        await index.note({ position: at("1"), sessions: [extended("a")] });
        await put(index, [text("one", ["word"])]);
        await index.note({ sessions: [], restart: true });
        expect(await index.state()).toEqual({ position: undefined, pending: 0 });
        expect(await found(index, ["word"])).toEqual([]);
        await put(index, [text("one", ["other"])]);
        expect(await found(index, ["other"])).toEqual(["one"]);
      }),
    );
  });

  describe(`${harness.name}: content of the index`, () => {
    it(
      "lists checkpoints with their sequence and the previous one, oldest first",
      withIndex(async (index) => {
        const uuid = "7f1c54a2-9b0e-4a3c-8d52-0c6f3f6e9a10";
        const texts = [text("Own-Id_1", ["one"], { sequence: 4 }), text(uuid, [], { sequence: 7, previous: 4 })];
        await put(index, texts.toReversed());
        const { checkpoints } = await index.indexed(SESSION);
        expect(checkpoints).toEqual([
          { checkpointId: "Own-Id_1", sequence: 4, previous: 0 },
          { checkpointId: uuid, sequence: 7, previous: 4 },
        ]);
        expect((await index.indexed(SESSION, 1)).checkpoints).toEqual(checkpoints.slice(1));
      }),
    );

    it(
      "gets a new version at each change, and refuses a change to another version",
      withIndex(async (index) => {
        await put(index, [text("one", ["word"])]);
        const { version } = await index.indexed(SESSION);
        expect(await index.update(change({ version: version + 1, add: [text("two", ["word"])] }))).toBe(false);
        expect(await found(index, ["word"])).toEqual(["one"]);
        expect(await index.update(change({ version, add: [text("two", ["word"], { sequence: 2 })] }))).toBe(true);
        expect((await index.indexed(SESSION)).version).not.toBe(version);
        expect((await found(index, ["word"])).toSorted()).toEqual(["one", "two"]);
      }),
    );

    it(
      "gets a new version when the session is noted again, so that no note is lost",
      withIndex(async (index) => {
        await put(index, [text("one", ["word"])]);
        const { version } = await index.indexed(SESSION);
        await index.note({ sessions: [{ sessionId: SESSION, isExtended: true }] });
        expect(await index.update(change({ version }))).toBe(false);
        expect((await index.state()).pending).toBe(1);
      }),
    );

    it(
      "loses a removed text, and finds it after it is added again",
      withIndex(async (index) => {
        await put(index, [text("one", ["word"]), text("two", ["word"], { sequence: 2 })]);
        await put(index, [], { remove: ["one" as CheckpointId] });
        expect(await found(index, ["word"])).toEqual(["two"]);
        await put(index, [text("one", ["word", "more"])]);
        expect(await found(index, ["more"])).toEqual(["one"]);
        await put(index, [], { remove: ["one", "two"] as CheckpointId[] });
        expect(await found(index, ["word"])).toEqual([]);
        expect((await index.indexed(SESSION)).checkpoints).toEqual([]);
      }),
    );

    it(
      "replaces the text of a checkpoint in one change",
      withIndex(async (index) => {
        await put(index, [text("one", ["before"])]);
        await put(index, [text("one", ["after"])], { remove: ["one" as CheckpointId] });
        expect([await found(index, ["before"]), await found(index, ["after"])]).toEqual([[], ["one"]]);
      }),
    );

    it(
      "is not changed by tidying",
      withIndex(async (index) => {
        for (let each = 1; each <= 30; each++) await put(index, [text(`c${each}`, ["word", `own${each}`], { sequence: each })]);
        await put(index, [], { remove: ["c1", "c2"] as CheckpointId[] });
        while (await index.tidy());
        expect(await found(index, ["own3"])).toEqual(["c3"]);
        expect(await found(index, ["own1", "own2"])).toEqual([]);
        expect(await found(index, ["word"], { limit: 100 })).toHaveLength(28);
      }),
    );
  });

  describe(`${harness.name}: matches`, () => {
    it(
      "are the texts with at least one of the exact terms",
      withIndex(async (index) => {
        await put(index, [text("one", ["alpha", "beta"]), text("two", ["gamma"], { sequence: 2 }), text("three", [], { sequence: 3 })]);
        expect((await found(index, ["beta", "gamma", "delta"])).toSorted()).toEqual(["one", "two"]);
        expect(await found(index, ["alph"])).toEqual([]);
      }),
    );

    it(
      "are found by terms of any script, and by words of query languages",
      withIndex(async (index) => {
        const odd = ["東京", "straße", "and", "or", "not", "near", "ünïcode", "한국"];
        await put(
          index,
          odd.map((term, place) => text(`c${place}`, [term], { sequence: place + 1 })),
        );
        for (const [place, term] of odd.entries()) expect(await found(index, [term])).toEqual([`c${place}`]);
      }),
    );

    it(
      "are ranked by the rarity of terms, their frequency and the shortness of the text",
      withIndex(async (index) => {
        const filler = Array.from({ length: 40 }, (_, place) => `filler${place}`);
        await put(index, [
          text("long", ["rare", ...filler], { sequence: 1 }),
          text("short", ["rare", "filler1"], { sequence: 2 }),
          text("often", ["rare", "rare", "rare", "rare", "filler1", "filler2"], { sequence: 3 }),
          ...Array.from({ length: 10 }, (_, place) => text(`common${place}`, ["common", "filler2"], { sequence: place + 4 })),
        ]);
        expect(await found(index, ["rare"])).toEqual(["often", "short", "long"]);
        expect((await found(index, ["rare", "common"])).slice(0, 2)).toEqual(["often", "short"]);
      }),
    );

    it(
      "score the same at once after the removal of others as later",
      withIndex(async (index) => {
        const others = Array.from({ length: 8 }, (_, at) => text(`other-${at}`, ["word"], { sequence: at + 2 }));
        await put(index, [text("one", ["word"]), ...others]);
        await put(index, [], { remove: others.map(({ checkpointId }) => checkpointId) });
        const [hit] = await match(index, ["word"]);
        expect(hit?.score).toBeGreaterThan(0);
        expect(await match(index, ["word"])).toEqual([hit]);
      }),
    );

    it(
      "score from 0 to 1, higher for more of the terms",
      withIndex(async (index) => {
        await put(index, [
          text("both", ["alpha", "beta"]),
          text("one", ["alpha", "gamma"], { sequence: 2 }),
          text("none", ["delta"], { sequence: 3 }),
        ]);
        const hits = await match(index, ["alpha", "beta"]);
        expect(hits.map(({ checkpointId }) => checkpointId)).toEqual(["both", "one"]);
        for (const { score } of hits) expect(score > 0 && score <= 1).toBe(true);
        expect((hits[0] as IndexHit).score).toBeGreaterThan((hits[1] as IndexHit).score);
      }),
    );

    it(
      "are ranked by the weights of the terms",
      withIndex(async (index) => {
        await put(index, [text("one", ["alpha"]), text("two", ["beta"], { sequence: 2 })]);
        const weighed = (alpha: number, beta: number): Promise<string[]> =>
          found(index, [], {
            terms: [
              { term: "alpha", weight: alpha },
              { term: "beta", weight: beta },
            ],
          });
        expect([await weighed(2, 1), await weighed(1, 2)]).toEqual([
          ["one", "two"],
          ["two", "one"],
        ]);
      }),
    );

    it(
      "include texts with a stop-word; stop-words do not count as length",
      withIndex(async (index) => {
        await put(index, [
          text("alone", [], { stopWords: ["·the", "·of"] }),
          text("many", ["alpha"], { sequence: 2, stopWords: ["·the", "·to", "·be", "·or", "·not"] }),
          text("none", ["alpha", "beta"], { sequence: 3 }),
        ]);
        expect((await found(index, ["·the"])).toSorted()).toEqual(["alone", "many"]);
        expect(await found(index, ["·the", "·of"], { required: ["·of"] })).toEqual(["alone"]);
        expect(await found(index, ["alpha"])).toEqual(["many", "none"]);
        await put(index, [], { remove: ["alone", "many"] as CheckpointId[] });
        expect(await found(index, ["·the", "·be"])).toEqual([]);
      }),
    );

    it(
      "have all required terms",
      withIndex(async (index) => {
        await put(index, [text("both", ["alpha", "beta"]), text("one", ["alpha"], { sequence: 2 })]);
        expect(await found(index, ["alpha"], { required: ["alpha", "beta"] })).toEqual(["both"]);
        expect(await found(index, ["alpha"], { required: ["alpha", "nowhere"] })).toEqual([]);
      }),
    );

    it(
      "are reordered by related terms, but not found by them",
      withIndex(async (index) => {
        await put(index, [
          text("first", ["asked", "other"], { sequence: 1 }),
          text("about", ["asked", "topic"], { sequence: 2 }),
          text("only", ["topic"], { sequence: 3 }),
          text("else", ["something"], { sequence: 4 }),
        ]);
        const related = [{ term: "topic", weight: 1 }];
        expect(await found(index, ["asked"], { related })).toEqual(["about", "first"]);
      }),
    );

    it(
      "rank a term above its alternatives, and these above its continuations, whatever the length of the text",
      withIndex(async (index) => {
        await put(index, [
          text(
            "begins",
            Array.from({ length: 9 }, () => "authentic"),
            { sequence: 1 },
          ),
          text(
            "means",
            Array.from({ length: 9 }, () => "login"),
            { sequence: 2 },
          ),
          text("whole", ["auth", ...Array.from({ length: 300 }, (_, place) => `filler${place}`)], { sequence: 3 }),
          text("both", ["auth", "login", "authentic"], { sequence: 4 }),
          text("none", ["other"], { sequence: 5 }),
        ]);
        const instead = { terms: ["login", "nowhere"], beginning: "auth" };
        expect(await foundInstead(index, [{ term: "auth", weight: 1, instead }])).toEqual(["both", "whole", "means", "begins"]);
        expect(await foundInstead(index, [{ term: "auth", weight: 1 }])).toEqual(["both", "whole"]);
        expect(await foundInstead(index, [{ term: "nowhere", weight: 1, instead }])).toContain("means");
      }),
    );

    it(
      "count an alternative of a term for less than the term",
      withIndex(async (index) => {
        await put(index, [
          text("whole", ["auth", "timeout", "filler"], { sequence: 1 }),
          text("instead", ["login", "timeout", "filler"], { sequence: 2 }),
          text("without", ["other", "timeout", "filler"], { sequence: 3 }),
        ]);
        const terms = [
          { term: "auth", weight: 1, instead: { terms: ["login"] } },
          { term: "timeout", weight: 1 },
        ];
        expect(await foundInstead(index, terms)).toEqual(["whole", "instead", "without"]);
      }),
    );

    it(
      "rank a rare term above any number of frequent and related terms",
      withIndex(async (index) => {
        const filler = Array.from({ length: 200 }, (_, place) => `filler${place}`);
        const frequent = ["run", "test", "build"].flatMap((word) => Array.from({ length: 7 }, () => word));
        await put(index, [
          text("rare", ["zanzibar", ...filler], { sequence: 1 }),
          ...Array.from({ length: 8 }, (_, place) => text(`frequent${place}`, [...frequent, "topic"], { sequence: place + 2 })),
          ...Array.from({ length: 20 }, (_, place) => text(`other${place}`, ["other"], { sequence: place + 10 })),
        ]);
        const asked = ["run", "test", "build", "zanzibar"];
        expect((await found(index, asked))[0]).toBe("rare");
        expect((await found(index, asked, { related: [{ term: "topic", weight: 9 }] }))[0]).toBe("rare");
        expect(await found(index, asked)).toHaveLength(9);
      }),
    );

    it(
      "come in pages",
      withIndex(async (index) => {
        await put(
          index,
          Array.from({ length: 25 }, (_, place) =>
            text(`c${place}`, ["word", ...Array.from({ length: place }, () => "more")], { sequence: place + 1 }),
          ),
        );
        const all = await found(index, ["word"], { limit: 25 });
        expect(new Set(all).size).toBe(25);
        const pages = [0, 10, 20].map((offset) => found(index, ["word"], { limit: 10, offset }));
        expect((await Promise.all(pages)).flat()).toEqual(all);
      }),
    );

    it(
      "have the session and sequence of each hit",
      withIndex(async (index) => {
        await put(index, [text("one", ["word"], { sequence: 12 })]);
        expect(await match(index, ["word"])).toMatchObject([{ checkpointId: "one", sessionId: SESSION, sequence: 12 }]);
      }),
    );
  });

  describe(`${harness.name}: filters of a search`, () => {
    const filters: readonly (readonly [string, Partial<TextOfCheckpoint>, IndexFilter])[] = [
      ["project", { project: "/mine" }, { project: "/mine" }],
      ["agent", { agentId: "me" }, { agentId: "me" }],
      ["workflow", { workflowId: "flow" }, { workflowId: "flow" }],
      ["kind", { kind: "conversation" }, { kinds: ["conversation", "project"] }],
      ["tags", { tags: ["a", "b", "c"] }, { tags: ["a", "c"] }],
      ["start time", { createdAt: new Date("2030-06-02T00:00:00Z") }, { since: new Date("2030-06-01T00:00:00Z") }],
      ["end time", { createdAt: new Date("2010-06-01T00:00:00Z") }, { until: new Date("2010-06-02T00:00:00Z") }],
    ];

    it.each(filters)("find texts that match the %s", async (_, has, filter) => {
      const index = await harness.open();
      await put(index, [text("with", ["word"], has)], { sessionId: session("a") });
      await put(index, [text("without", ["word"], { tags: ["a"] })], { sessionId: session("b") });
      expect(await found(index, ["word"], { filter })).toEqual(["with"]);
      await index.close();
    });

    it.each(filters)("find an earlier text that a later checkpoint matching the %s may still contain", async (_, has, filter) => {
      const index = await harness.open();
      const later = text("later", [], { ...has, sequence: 5, previous: 3 });
      await put(index, [text("before", ["word"], { sequence: 3 }), later, text("after", ["word"], { sequence: 8, previous: 5 })]);
      expect(await found(index, ["word"], { filter })).toEqual(["before"]);
      await index.close();
    });

    it(
      "can be narrowed to a project for each page",
      withIndex(async (index) => {
        await put(index, [text("mine", ["word"], { project: "/mine", agentId: "me" })], { sessionId: session("a") });
        await put(index, [text("other", ["word", "word"], { project: "/other", agentId: "me" })], { sessionId: session("b") });
        const filter = { agentId: "me" };
        expect(await found(index, ["word"], { filter })).toEqual(["other", "mine"]);
        expect(await found(index, ["word"], { filter, project: "/mine" })).toEqual(["mine"]);
        expect(await found(index, ["word"], { filter: { agentId: "you" }, project: "/mine" })).toEqual([]);
      }),
    );

    it(
      "find texts of one session",
      withIndex(async (index) => {
        await put(index, [text("mine", ["word"])], { sessionId: session("a") });
        await put(index, [text("other", ["word"])], { sessionId: session("b") });
        expect(await found(index, ["word"], { filter: { sessionId: session("a") } })).toEqual(["mine"]);
        expect(await found(index, ["word"], { filter: { sessionId: session("nowhere") } })).toEqual([]);
      }),
    );

    it(
      "find the matching texts of a word that nearly every text has",
      withIndex(async (index) => {
        const mine = [text("mine", ["word", "often"], { project: "/mine" }), text("also", ["word"], { sequence: 2, project: "/mine" })];
        await put(index, mine, { sessionId: session("a") });
        const others = Array.from({ length: 1_200 }, (_, place) =>
          text(`c${place}`, ["word", "often"], { sequence: place + 1, project: "/other" }),
        );
        await put(index, others, { sessionId: session("b") });
        for (const filter of [{ project: "/mine" }, { sessionId: session("a") }]) {
          expect((await found(index, ["word"], { filter })).toSorted()).toEqual(["also", "mine"]);
          expect(await found(index, ["word", "often"], { filter })).toEqual(["mine", "also"]);
        }
      }),
    );

    it(
      "match the current tags of the session like those of its checkpoints",
      withIndex(async (index) => {
        await put(index, [text("one", ["word"], { tags: ["own"] })], { sessionTags: ["shared"] });
        expect(await found(index, ["word"], { filter: { tags: ["own", "shared"] } })).toEqual(["one"]);
        await put(index, [], { sessionTags: [] });
        expect(await found(index, ["word"], { filter: { tags: ["own", "shared"] } })).toEqual([]);
      }),
    );

    it(
      "leave asides out unless they are asked for",
      withIndex(async (index) => {
        await put(index, [text("aside", ["word"], { kind: "aside" })]);
        expect(await found(index, ["word"])).toEqual([]);
        expect(await found(index, ["word"], { filter: { kinds: ["aside"] } })).toEqual(["aside"]);
      }),
    );
  });

  describe(`${harness.name}: similar terms`, () => {
    it(
      "have the same beginning, else a similar spelling",
      withIndex(async (index) => {
        await put(index, [text("one", ["checkpoint", "checkout", "checkpoints", "chalk"]), text("two", ["checkpoint"], { sequence: 2 })]);
        expect((await index.termsLike("check", 5)).toSorted()).toEqual(["checkout", "checkpoint", "checkpoints"]);
        expect(await index.termsLike("check", 1)).toEqual(["checkpoint"]);
        expect(await index.termsLike("chekpoint", 5)).toContain("checkpoint");
        expect(await index.termsLike("chekcout", 5)).toEqual(["checkout"]);
        expect(await index.termsLike("zebra", 5)).toEqual([]);
      }),
    );
  });
}

const SESSION = session("session");

function session(id: string): SessionId {
  return id as SessionId;
}

function at(position: string): ChangePosition {
  return position as ChangePosition;
}

function extended(id: string): { sessionId: SessionId; isExtended: boolean } {
  return { sessionId: session(id), isExtended: true };
}

function text(id: string, terms: readonly string[], more: Partial<TextOfCheckpoint> = {}): TextOfCheckpoint {
  return {
    checkpointId: id as CheckpointId,
    sequence: 1,
    previous: 0,
    terms,
    stopWords: [],
    kind: "workflow",
    createdAt: new Date("2020-01-01T00:00:00Z"),
    project: undefined,
    agentId: undefined,
    workflowId: undefined,
    tags: [],
    ...more,
  };
}

function change(more: Partial<IndexChange>): IndexChange {
  return { sessionId: SESSION, version: 0, remove: [], add: [], sessionTags: [], isDone: true, ...more };
}

async function put(index: SearchEngine, add: readonly TextOfCheckpoint[], more: Partial<IndexChange> = {}): Promise<void> {
  const { version } = await index.indexed(more.sessionId ?? SESSION);
  expect(await index.update(change({ version, add, ...more }))).toBe(true);
}

async function match(
  index: SearchEngine,
  terms: readonly string[],
  { limit = 20, offset = 0, related, project, ...more }: Partial<IndexQuery & PageOfMatches> = {},
): Promise<readonly IndexHit[]> {
  const weighed = terms.map((term) => ({ term, weight: 1 }));
  const matches = await index.match({ terms: weighed, required: [], filter: {}, ...more });
  return matches.page({ limit, offset, related, project });
}

async function foundInstead(index: SearchEngine, terms: readonly AskedTerm[]): Promise<string[]> {
  const matches = await index.match({ terms, required: [], filter: {} });
  return (await matches.page({ limit: 20, offset: 0 })).map(({ checkpointId }) => checkpointId);
}

async function found(index: SearchEngine, terms: readonly string[], more?: Partial<IndexQuery & PageOfMatches>): Promise<string[]> {
  return (await match(index, terms, more)).map(({ checkpointId }) => checkpointId);
}
