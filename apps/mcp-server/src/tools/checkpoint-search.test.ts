import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { excessOf, sizeOfAnswer, tokensOf } from "../testing/answer-size.ts";
import { failureOf, type Fields, ORIGIN } from "../testing/contextd.ts";
import { ServerProcess, TestHome } from "../testing/server-process.ts";

const SEARCH = "checkpoint_search";
const SAVE = "checkpoint_save";
const ENV = { RATE_LIMIT_CHECKPOINT_SAVE: "1000000" };

interface Result {
  readonly checkpoint: Fields;
  readonly score: number;
  readonly distance: number;
  readonly snippet?: string;
}

let server: ServerProcess;
let own: string;
let other: string;

beforeAll(async () => {
  server = await ServerProcess.start({ env: ENV });
  own = server.home.project;
  const save = (summary: string, given: Fields = {}): Promise<Fields> => server.ok(SAVE, { summary, project_path: own, ...given });
  await save("Implemented user authentication", {
    description: "Added JWT-based authentication with refresh tokens.",
    context: { branch: "feature/auth" },
    tags: ["auth", "security"],
  });
  // The directory exists only now.
  other = server.home.dataDir;
  await save("Rate limits for the authentication endpoints", { tags: ["auth"] });
  for (let index = 0; index < 8; index++) await save(`Wrote migration ${index} of the database`, { tags: ["database"] });
  await save("Reviewed authentication of the blog", { project_path: other, tags: ["auth"] });
});

afterAll(async () => {
  await server[Symbol.asyncDispose]();
});

async function search(given: Fields): Promise<readonly Result[]> {
  return (await server.ok(SEARCH, given))["results"] as readonly Result[];
}

async function found(given: Fields): Promise<readonly unknown[]> {
  return (await search(given)).map(({ checkpoint }) => checkpoint["summary"]);
}

describe("the input schema of checkpoint_search", () => {
  it("has the documented fields, of which query is required", async () => {
    const schema = (await server.client.listTools()).tools.find(({ name }) => name === SEARCH)?.inputSchema;
    const types = Object.entries(schema?.properties ?? {}).map(([name, property]) => [name, (property as { type: string }).type]);
    expect(Object.fromEntries(types)).toEqual({ query: "string", project_path: "string", tags: "array", top_k: "integer" });
    expect(schema?.required).toEqual(["query"]);
  });
});

describe("the output of checkpoint_search", () => {
  it("has the documented results, query and top_k", async () => {
    const answer = await server.ok(SEARCH, { query: "refresh tokens JWT" });
    expect(answer).toEqual({
      origin: ORIGIN,
      results: [
        {
          checkpoint: {
            id: expect.any(String),
            summary: "Implemented user authentication",
            project_path: own,
            context: { branch: "feature/auth" },
            description_truncated: true,
            tags: ["auth", "security"],
            created_at: expect.any(String),
          },
          score: expect.any(Number),
          distance: expect.any(Number),
          snippet: expect.stringContaining("refresh"),
        },
      ],
      query: "refresh tokens JWT",
      top_k: 5,
    });
  });

  it("has with details the checkpoint as checkpoint_get returns it, without the description", async () => {
    const [first] = await search({ query: "refresh tokens", details: true });
    const { description_truncated: isCut, ...brief } = first?.checkpoint ?? {};
    const { description, origin: _origin, ...whole } = await server.ok("checkpoint_get", { id: brief["id"] });
    expect(brief).toEqual(whole);
    expect([isCut, description]).toEqual([true, expect.stringContaining("refresh tokens")]);
  });

  it("is sorted by descending score, with a distance of 1 - score, and no minimum score", async () => {
    const results = await search({ query: "authentication of users with JWT", top_k: 100 });
    const scores = results.map(({ score }) => score);
    expect(results.length).toBeGreaterThanOrEqual(3);
    expect(scores.every((score) => score > 0 && score <= 1)).toBe(true);
    expect(scores.at(-1)).toBeLessThan(0.5);
    for (const { score, distance } of results) expect(distance).toBeCloseTo(1 - score, 4);
    expect((await search({ query: "authentication", project_path: own, top_k: 100 })).map(({ score }) => score)).toSatisfy(isDescending);
  });

  it("is an empty list when nothing matches", async () => {
    expect(await server.ok(SEARCH, { query: "xylophone" })).toEqual({ origin: ORIGIN, results: [], query: "xylophone", top_k: 5 });
  });

  it("reports matches that are only similar", async () => {
    expect(await server.ok(SEARCH, { query: "authentcation" })).toMatchObject({ loose: true });
  });
});

describe("checkpoint_search", () => {
  it("returns 5 by default, and as many as top_k states, up to 100", async () => {
    expect(await found({ query: "migration" })).toHaveLength(5);
    expect(await found({ query: "migration", top_k: 1 })).toHaveLength(1);
    expect(await found({ query: "migration", top_k: 7 })).toHaveLength(7);
    expect(await server.ok(SEARCH, { query: "migration", top_k: 100 })).toMatchObject({ top_k: 100 });
  });

  it("filters by project_path", async () => {
    expect(await found({ query: "authentication", project_path: other })).toEqual(["Reviewed authentication of the blog"]);
    expect(await found({ query: "authentication", project_path: `${other}/` })).toHaveLength(1);
    expect(await found({ query: "authentication", project_path: own })).toHaveLength(2);
  });

  it("without project_path searches all projects, the best first whatever its project, each hit with its project", async () => {
    const projects = (await search({ query: "authentication" })).map(({ checkpoint }) => checkpoint["project_path"]);
    expect(projects).toEqual([own, other, own]);
  });

  it("filters by tags, all of which must match", async () => {
    expect(await found({ query: "authentication", tags: ["auth"] })).toHaveLength(3);
    expect(await found({ query: "authentication", tags: ["auth", "security"] })).toEqual(["Implemented user authentication"]);
    expect(await found({ query: "authentication", tags: ["auth", "database"] })).toEqual([]);
  });

  it("finds words of the context, and exact phrases in quotation marks", async () => {
    expect(await found({ query: "feature/auth" })).toContain("Implemented user authentication");
    expect(await found({ query: '"refresh tokens"' })).toEqual(["Implemented user authentication"]);
    expect(await found({ query: '"tokens refresh"' })).not.toContain("Reviewed authentication of the blog");
  });

  it("accepts a question of any length up to 10,000 characters", async () => {
    const question = `authentication ${"and so on and on ".repeat(600)}`.slice(0, 10_000);
    expect(await found({ query: question })).toContain("Implemented user authentication");
    expect(await server.ok(SEARCH, { query: question })).toMatchObject({
      query: expect.stringMatching(/^authentication and so on/u),
      query_truncated: true,
    });
  });

  it("finds checkpoints of the other tools, and no deleted ones", async () => {
    await using mixed = await ServerProcess.start();
    await mixed.ok("workflow_checkpoint_save", { sessionId: "w", context: { goal: "Tame the walrus", files: ["tusk.ts"] } });
    await mixed.ok("store_session", { conversation: "User: How do I feed the walrus?\nAI: With clams.", topic: "Feeding" });
    const { id } = await mixed.ok(SAVE, { summary: "Washed the walrus", project_path: mixed.home.project });
    const kinds = async (): Promise<ReadonlySet<unknown>> => {
      const { results } = await mixed.ok(SEARCH, { query: "walrus" });
      return new Set((results as Result[]).map(({ checkpoint }) => checkpoint["kind"]));
    };
    expect(await kinds()).toEqual(new Set(["conversation", "workflow", undefined]));
    await mixed.ok("checkpoint_delete", { id });
    expect(await kinds()).toEqual(new Set(["conversation", "workflow"]));
  });
});

describe("VALIDATION_ERROR", () => {
  it.for<[string, Fields, string, string]>([
    ["query: required", {}, "query", "query is required and must be a string"],
    [
      "top_k: and beside it its other spelling",
      { query: "a", top_k: 1, topK: 1 },
      "top_k",
      "topK is another name of top_k, which is given already",
    ],
    ["query: empty", { query: " " }, "query", "query must be 1-10000 characters"],
    ["query: 10,001 characters", { query: "x".repeat(10_001) }, "query", "query must be 1-10000 characters"],
    ["top_k: 0", { query: "a", top_k: 0 }, "top_k", "top_k must be a whole number 1-100"],
    ["top_k: over 100", { query: "a", top_k: 101 }, "top_k", "top_k must be a whole number 1-100"],
    ["top_k: no whole number", { query: "a", top_k: 1.5 }, "top_k", "top_k must be an integer, not a number"],
    ["tags: 21 of them", { query: "a", tags: Array.from({ length: 21 }, (_, n) => `${n}`) }, "tags", "tags must be a list of at most 20"],
    ["project_path: relative", { query: "a", project_path: "src" }, "project_path", "project_path must be an absolute path"],
  ])("for %s", async ([, given, field, error]) => {
    expect(await failureOf(server, SEARCH, given)).toEqual({
      code: "VALIDATION_ERROR",
      message: `invalid ${field}`,
      details: { field, error },
    });
  });
});

describe("the cost of an answer of checkpoint_search", () => {
  it.each([
    ["English", "the nightly export of the billing service fails when the disk is full and nobody looks ", "authentication"],
    ["German", "die nächtliche Ausfuhr der Rechnungsdaten schlägt fehl, weil die Festplatte voll läuft ", "Zugangsprüfung"],
    ["Chinese", "每晚导出账单服务失败，因为磁盘已满，没有人查看。", "登录验证"],
    ["code", 'src/auth/tokens.ts:120 {"retry": 3, "sha": "9f86d081884c7d65"} npm run build && ', "middleware"],
  ])("is at most 800 tokens for five hits, each with a snippet of 40 to 80 tokens that contains the words: %s", async (_, filler, word) => {
    // Each hit has the path of the project, so its length counts five times.
    await using home = await TestHome.create("workrail-");
    await using rich = await ServerProcess.start({ home, env: ENV });
    for (let index = 0; index < 8; index++) {
      await rich.ok(SAVE, {
        summary: `${index} ${filler.repeat(20)}`.slice(0, 480),
        description: `${filler.repeat(200).slice(0, 4_000)} ${word} ${index} ${filler.repeat(200)}`.slice(0, 9_000),
        project_path: rich.home.project,
        context: { branch: "feature/auth", commit: "9f86d081884c", ticket: "PROJ-1234" },
        tags: ["auth", "security", "billing"],
      });
    }
    const answer = await searchAll(rich, { query: word });
    const results = answer["results"] as readonly Result[];
    expect(results).toHaveLength(5);
    expect(sizeOfAnswer(answer).tokens).toBeLessThanOrEqual(800);
    for (const { checkpoint, snippet = "" } of results) {
      expect(checkpoint).toMatchObject({ id: expect.any(String), project_path: rich.home.project, description_truncated: true });
      expect(String(checkpoint["summary"]).length).toBeGreaterThan(10);
      expect(checkpoint).not.toHaveProperty("description");
      expect(snippet).toContain(word);
      expect(tokensOf(snippet)).toBeGreaterThanOrEqual(40);
      expect(tokensOf(snippet)).toBeLessThanOrEqual(80);
    }
  });

  it("includes no snippet that only repeats the summary", async () => {
    const [first] = await search({ query: "implemented user" });
    expect(first?.snippet).toMatch(/^Added JWT-based/u);
  });

  it("grows with the number of results up to the limit of answers; results without room are counted", async () => {
    await using large = await ServerProcess.start({ env: ENV });
    const project_path = large.home.project;
    for (let index = 0; index < 100; index++) {
      const summary = `needle ${index} ${"認証の概要 ".repeat(60)}`;
      await large.ok(SAVE, { summary, description: `needle ${"in a haystack of words ".repeat(400)}`, project_path });
    }
    const many = await searchAll(large, { query: "needle", top_k: 100 });
    expect(excessOf(many)).toEqual({});
    const shown = (many["results"] as Result[]).length;
    expect(shown).toBeGreaterThan(50);
    expect(many["results_omitted"] ?? 0).toBe(100 - shown);
  });
});

/** Searches until everything is indexed. */
async function searchAll(asked: ServerProcess, given: Fields): Promise<Fields> {
  return vi.waitFor(async () => {
    const answer = await asked.ok(SEARCH, given);
    expect(answer).not.toHaveProperty("index_pending");
    return answer;
  }, 60_000);
}

function isDescending(scores: readonly number[]): boolean {
  return scores.every((score, index) => index === 0 || score <= (scores[index - 1] as number));
}
