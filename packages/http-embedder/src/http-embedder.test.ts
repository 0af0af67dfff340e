import { type Answer, closeEndpoints, openEndpoint } from "../../http-endpoint/src/testing/index.ts";
import { afterEach, describe, expect, it } from "vitest";
import { httpEmbedder, type HttpEmbedderOptions } from "./http-embedder.ts";

interface Request {
  readonly model: string;
  readonly input: readonly string[];
}

afterEach(closeEndpoints);

function embedderAt(url: string, options: Partial<HttpEmbedderOptions> = {}): ReturnType<typeof httpEmbedder> {
  return httpEmbedder({ url, model: "small", timeoutMs: 60_000, firstWaitMs: 1, ...options });
}

/** Returns a vector that depends on the length of the text. */
function vectorFor(text: string): readonly number[] {
  return [text.length, 1, 0.5];
}

/** Answers like OpenAI, in another order than the texts. */
const openai: Answer<Request> = (response, _, { input }) => {
  const data = input.map((text, index) => ({ object: "embedding", index, embedding: vectorFor(text) })).toReversed();
  response.end(JSON.stringify({ object: "list", data }));
};

const ollama: Answer<Request> = (response, _, { model, input }) => {
  response.end(JSON.stringify({ model, embeddings: input.map(vectorFor) }));
};

/** Returns an answer that uses the given ones for the first calls. */
function after(first: readonly Answer<Request>[], then: Answer<Request> = openai): Answer<Request> {
  return (response, call, body) => (first[call - 1] ?? then)(response, call, body);
}

describe("httpEmbedder", () => {
  it("works with an OpenAI-compatible endpoint, and returns the vectors in the order of the texts", async () => {
    const { url, seen } = await openEndpoint(openai);
    const embedder = embedderAt(`${url}/v1`, { apiKey: "k" });
    expect([embedder.name, embedder.dimensions]).toEqual(["small", undefined]);
    expect(await embedder.embed(["a", "bb", "ccc"], "text")).toEqual([1, 2, 3].map((length) => Float32Array.of(length, 1, 0.5)));
    expect(embedder.dimensions).toBe(3);
    expect(seen).toHaveLength(1);
    expect(seen[0]).toMatchObject({
      url: "/v1/embeddings",
      headers: { authorization: "Bearer k" },
      body: { model: "small", input: ["a", "bb", "ccc"] },
    });
  });

  it("works with Ollama", async () => {
    const { url, seen } = await openEndpoint(ollama);
    expect(await embedderAt(url, { kind: "ollama" }).embed(["bb"], "query")).toEqual([Float32Array.of(2, 1, 0.5)]);
    expect(seen[0]).toMatchObject({ url: "/api/embed", body: { model: "small", input: ["bb"] } });
    expect(seen[0]?.headers).not.toHaveProperty("authorization");
  });

  it("adds the prefixes for queries and texts", async () => {
    const { url, seen } = await openEndpoint(openai);
    const embedder = embedderAt(url, { queryPrefix: "query: ", textPrefix: "passage: " });
    expect(embedder.name).toBe("small (passage:)");
    await embedder.embed(["a"], "query");
    await embedder.embed(["a"], "text");
    expect(seen.map(({ body }) => body.input)).toEqual([["query: a"], ["passage: a"]]);
  });

  it("sends no request without texts", async () => {
    const { url, seen } = await openEndpoint(openai);
    expect(await embedderAt(url).embed([], "text")).toEqual([]);
    expect(seen).toEqual([]);
  });

  it("limits each request by count and size", async () => {
    const { url, seen } = await openEndpoint(openai);
    const many = Array.from({ length: 1_000 }, (_, index) => "x".repeat((index % 5) + 1));
    const vectors = await embedderAt(url).embed([...many, ...Array.from({ length: 9 }, () => "y".repeat(20_000))], "text");
    expect(vectors.map(([length]) => length)).toEqual([...many.map((text) => text.length), ...Array.from({ length: 9 }, () => 20_000)]);
    expect(Math.max(...seen.map(({ body }) => body.input.length))).toBe(32);
    expect(Math.max(...seen.map(({ body }) => body.input.join("").length))).toBeLessThanOrEqual(64_000);
    expect(seen).toHaveLength(32 + 2);
  });

  it("retries after a server error, a lost connection and too many requests", async () => {
    const { url, seen } = await openEndpoint(
      after([
        (response) => response.writeHead(500).end(),
        (response) => response.destroy(),
        (response) => response.writeHead(429, { "retry-after": "1" }).end(),
      ]),
    );
    expect(await embedderAt(url).embed(["a"], "text")).toEqual([Float32Array.of(1, 1, 0.5)]);
    expect(seen).toHaveLength(4);
  });

  it("reports the requested waiting time when it exceeds the time limit", async () => {
    const { url } = await openEndpoint((response) => response.writeHead(429, { "retry-after": "600" }).end());
    await expect(embedderAt(url).embed(["a"], "text")).rejects.toMatchObject({ details: { status: 429, retryAfterMs: 600_000 } });
  });

  it("uses separate time limits for queries and texts", async () => {
    const { url } = await openEndpoint(() => undefined);
    const embedder = embedderAt(url, { timeoutMs: 30, textsTimeoutMs: 60 });
    await expect(embedder.embed(["a"], "query")).rejects.toThrow("The endpoint took longer than 30 ms.");
    await expect(embedder.embed(["a"], "text")).rejects.toThrow("The endpoint took longer than 60 ms.");
  });

  it("splits a batch that is too large, and embeds the beginning of a text that is too long", async () => {
    const { url, seen } = await openEndpoint<Request>((response, call, body) => {
      const isTooMuch = body.input.length > 2 || body.input.some((text) => text.length > 300);
      return isTooMuch ? response.writeHead(400).end() : openai(response, call, body);
    });
    const vectors = await embedderAt(url).embed(["a", "b".repeat(1_000), "cc", "ddd", "eeee"], "text");
    expect(vectors.map(([length]) => length)).toEqual([1, 250, 2, 3, 4]);
    expect(seen.length).toBeLessThan(10);
  });

  it("stops retrying a request that is rejected for another reason", async () => {
    const { url, seen } = await openEndpoint((response) => response.writeHead(400).end());
    await expect(
      embedderAt(url).embed(
        Array.from({ length: 32 }, () => "x".repeat(2_000)),
        "text",
      ),
    ).rejects.toMatchObject({
      message: "The endpoint answered with status 400.",
      hint: "Check that the endpoint runs, supports OpenAI's embeddings, and has the model.",
    });
    expect(seen.length).toBeLessThan(10);
  });

  it.each<readonly [string, unknown, string]>([
    ["no list", { data: null }, "has no vector for each of 2 texts"],
    ["null", null, "has no vector for each of 2 texts"],
    ["a vector too few", { data: [{ index: 0, embedding: [1] }] }, "has no vector for each of 2 texts"],
    ["a vector of texts", { data: [{ embedding: ["1"] }, { embedding: [1] }] }, "has a vector that is none"],
    ["an empty vector", { data: [{ embedding: [] }, { embedding: [] }] }, "has a vector that is none"],
    ["a vector of zeros", { data: [{ embedding: [0, 0] }, { embedding: [1, 0] }] }, "has a vector that is none"],
    ["null for a vector", { data: [null, { embedding: [1, 0] }] }, "has a vector that is none"],
    ["different lengths", { data: [{ embedding: [1, 2] }, { embedding: [1] }] }, "has a vector of 1 numbers where the model makes 2"],
  ])("takes %s for no answer", async (_, answer, message) => {
    const { url, seen } = await openEndpoint((response) => response.end(JSON.stringify(answer)));
    await expect(embedderAt(url).embed(["private", "private"], "text")).rejects.toThrow(`The endpoint's answer ${message}.`);
    expect(seen).toHaveLength(1);
  });

  it("detects a change in the model's dimensions", async () => {
    const { url } = await openEndpoint(after([openai], (response) => response.end('{"data":[{"embedding":[1,2]}]}')));
    const embedder = embedderAt(url);
    await embedder.embed(["a"], "text");
    await expect(embedder.embed(["a"], "text")).rejects.toThrow("has a vector of 2 numbers where the model makes 3");
  });
});
