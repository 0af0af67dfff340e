import { afterEach, describe, expect, it } from "vitest";
import { askEndpoint, type Endpoint } from "./ask-endpoint.ts";
import { type Answer, closeEndpoints, openEndpoint } from "./testing/index.ts";

type Request = Readonly<Record<string, unknown>>;

afterEach(closeEndpoints);

const fine: Answer<Request> = (response) => response.end('{"fine":true}');

/** Asks the endpoint with almost no wait between the tries. */
function ask(url: string, options: Partial<Endpoint> = {}): Promise<unknown> {
  return askEndpoint({ url, timeoutMs: 60_000, firstWaitMs: 1, hint: "Look at it.", ...options }, "/path", { a: "private" });
}

describe("askEndpoint", () => {
  it("posts JSON, with the key if there is one, and returns the answer", async () => {
    const { url, seen } = await openEndpoint(fine);
    expect(await ask(`${url}/v1/`, { apiKey: "k" })).toEqual({ fine: true });
    expect(await ask(url)).toEqual({ fine: true });
    expect(seen[0]).toMatchObject({ url: "/v1/path", headers: { authorization: "Bearer k" }, body: { a: "private" } });
    expect(seen[1]?.headers).not.toHaveProperty("authorization");
  });

  it.each<readonly [string, Answer<Request>]>([
    ["a server error", (response) => response.writeHead(500).end()],
    ["a lost connection", (response) => response.destroy()],
    ["half an answer", (response) => response.writeHead(200, { "content-length": "100" }).write("{", () => response.destroy())],
    ["too many requests", (response) => response.writeHead(429).end()],
  ])("tries again after %s", async (_, fail) => {
    const { url, seen } = await openEndpoint<Request>((response, call, body) => (call < 3 ? fail : fine)(response, call, body));
    expect(await ask(url, { tries: 3 })).toEqual({ fine: true });
    expect(seen).toHaveLength(3);
  });

  it("gives up after the last try, and reports its failure", async () => {
    const { url, seen } = await openEndpoint((response) => response.writeHead(503).end("private"));
    await expect(ask(url)).rejects.toMatchObject({
      code: "INTERNAL",
      message: "The endpoint answered with status 503.",
      hint: "Look at it.",
      details: { reason: "refused", status: 503, isPassing: true },
    });
    expect(seen).toHaveLength(2);
  });

  it("does not retry a rejected request", async () => {
    const { url, seen } = await openEndpoint((response) => response.writeHead(401, { "retry-after": "1" }).end());
    await expect(ask(url)).rejects.toThrow("The endpoint answered with status 401.");
    expect(seen).toHaveLength(1);
  });

  it("waits as long as the endpoint asks for", async () => {
    const { url, seen } = await openEndpoint<Request>((response, call, body) =>
      call === 1 ? response.writeHead(429, { "retry-after": "1" }).end() : fine(response, call, body),
    );
    const begun = performance.now();
    expect(await ask(url)).toEqual({ fine: true });
    expect(performance.now() - begun).toBeGreaterThan(950);
    expect(seen).toHaveLength(2);
  });

  it("fails at once when the endpoint asks for more time than is left", async () => {
    const { url, seen } = await openEndpoint((response) => response.writeHead(429, { "retry-after": "600" }).end());
    await expect(ask(url)).rejects.toMatchObject({
      message: "The endpoint answered with status 429, to be asked again in 600 s.",
      details: { retryAfterMs: 600_000, isPassing: true },
    });
    expect(seen).toHaveLength(1);
  });

  it("ends at the time limit, even when the answer never ends", async () => {
    const { url } = await openEndpoint((response) => response.write("{"));
    await expect(ask(url, { timeoutMs: 50 })).rejects.toMatchObject({
      message: "The endpoint took longer than 50 ms.",
      details: { reason: "timeout" },
    });
  });

  it.each<readonly [string, Answer<Request>]>([
    ["an answer is waited for", () => undefined],
    ["another try is waited for", (response) => response.writeHead(429, { "retry-after": "50" }).end()],
  ])("ends at once while %s, and asks no more", async (_, answer) => {
    const ending = new AbortController();
    const { url, seen } = await openEndpoint<Request>((response, call, body) => {
      answer(response, call, body);
      setImmediate(() => ending.abort());
    });
    const begun = performance.now();
    for (const _ of ["under way", "later"]) {
      await expect(ask(url, { signal: ending.signal })).rejects.toMatchObject({ details: { reason: "ended" } });
    }
    // Less than the whole time limit, and less than that of the second try.
    expect(performance.now() - begun).toBeLessThan(40_000);
    expect(seen).toHaveLength(1);
  });

  it("reports an unreachable endpoint, with only the host of its address", async () => {
    const { url, close } = await openEndpoint(fine);
    await close();
    await expect(ask(url.replace("//", "//user:password@"))).rejects.toThrow(/^The endpoint 127\.0\.0\.1:\d+ cannot be reached/);
    await expect(ask(url)).rejects.toThrow(/^The endpoint 127\.0\.0\.1:\d+ cannot be reached \(ECONNREFUSED\)\.$/);
  });

  it.each<readonly [string, Answer<Request>, string]>([
    ["a page", (response) => response.end("<html>"), "is not JSON"],
    ["nothing", (response) => response.end(), "is not JSON"],
    ["megabytes", (response) => response.end(JSON.stringify("x".repeat(1_100_000))), "is far too long"],
  ])("takes %s for no answer", async (_, answer, message) => {
    const { url, seen } = await openEndpoint(answer);
    await expect(ask(url)).rejects.toThrow(`The endpoint's answer ${message}.`);
    expect(seen).toHaveLength(1);
  });

  it("follows no redirect", async () => {
    const other = await openEndpoint(fine);
    const { url } = await openEndpoint((response) => response.writeHead(307, { location: `${other.url}/path` }).end());
    await expect(ask(url)).rejects.toMatchObject({ code: "INTERNAL" });
    expect(other.seen).toEqual([]);
  });
});
