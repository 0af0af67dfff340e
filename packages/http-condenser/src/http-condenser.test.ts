import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text as readAll } from "node:stream/consumers";
import { afterEach, describe, expect, it } from "vitest";
import { httpCondenser, type HttpCondenserOptions } from "./http-condenser.ts";

interface Seen {
  readonly url: string | undefined;
  readonly headers: IncomingMessage["headers"];
  readonly body: { readonly model: string; readonly messages: readonly { readonly role: string; readonly content: string }[] };
}

type Answer = (response: ServerResponse, call: number) => void;

const open: Server[] = [];

afterEach(async () => {
  for (const server of open.splice(0)) {
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
  }
});

async function endpoint(answer: Answer): Promise<{ readonly url: string; readonly seen: Seen[] }> {
  const seen: Seen[] = [];
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    seen.push({ url: request.url, headers: request.headers, body: JSON.parse(await readAll(request)) as Seen["body"] });
    answer(response, seen.length);
  };
  const server = createServer((request, response) => void respond(request, response));
  open.push(server);
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, seen };
}

function completion(content: unknown, finish = "stop"): Answer {
  return (response) => response.end(JSON.stringify({ choices: [{ message: { role: "assistant", content }, finish_reason: finish }] }));
}

function condenserAt(url: string, options: Partial<HttpCondenserOptions> = {}): ReturnType<typeof httpCondenser> {
  return httpCondenser({ url, model: "small", timeoutMs: 5_000, ...options });
}

describe("httpCondenser", () => {
  it("asks the model for so many words, with the focus and the key", async () => {
    const { url, seen } = await endpoint(completion(" Shorter.\n"));
    const condenser = condenserAt(`${url}/`, { apiKey: "k" });
    expect(condenser.name).toBe("small");
    expect(await condenser.condense("A long text.", 100, "the export")).toBe("Shorter.");
    expect(seen).toHaveLength(1);
    expect(seen[0]).toMatchObject({ url: "/v1/chat/completions", headers: { authorization: "Bearer k" }, body: { model: "small" } });
    expect(seen[0]?.body.messages[0]?.content).toMatch(/At most 70 words\..* the export$/);
    expect(seen[0]?.body.messages[1]).toEqual({ role: "user", content: "A long text." });
  });

  it("sends no key where there is none, and leaves out what a model thinks aloud", async () => {
    const { url, seen } = await endpoint(completion("<think>\nHm.\n</think>\n\nShorter."));
    expect(await condenserAt(url).condense("t", 10)).toBe("Shorter.");
    expect(seen[0]?.headers).not.toHaveProperty("authorization");
  });

  it("tries what may pass once more, and only once", async () => {
    const once = await endpoint((response, call) => (call === 1 ? response.writeHead(500).end() : completion("Now.")(response, call)));
    expect(await condenserAt(once.url).condense("t", 10)).toBe("Now.");
    const lost = await endpoint((response, call) => (call === 1 ? response.destroy() : completion("Now.")(response, call)));
    expect(await condenserAt(lost.url).condense("t", 10)).toBe("Now.");
    const always = await endpoint((response) => response.writeHead(503).end("busy"));
    await expect(condenserAt(always.url).condense("t", 10)).rejects.toMatchObject({ code: "INTERNAL", details: { status: 503 } });
    expect(always.seen).toHaveLength(2);
  });

  it("does not repeat what is refused", async () => {
    const { url, seen } = await endpoint((response) => response.writeHead(401).end());
    await expect(condenserAt(url).condense("t", 10)).rejects.toThrow("The endpoint answered with status 401.");
    expect(seen).toHaveLength(1);
  });

  it("ends when its time is up, though the endpoint never ends", async () => {
    const { url } = await endpoint((response) => response.write("{"));
    await expect(condenserAt(url, { timeoutMs: 50 }).condense("t", 10)).rejects.toMatchObject({
      message: "The endpoint took longer than 50 ms.",
      details: { reason: "timeout" },
    });
  });

  it("says that nothing listens there", async () => {
    const { url } = await endpoint(completion("x"));
    await new Promise((closed) => open.splice(0)[0]?.close(closed));
    await expect(condenserAt(url).condense("t", 10)).rejects.toThrow(
      /^The endpoint 127\.0\.0\.1:\d+ cannot be reached \(ECONNREFUSED\)\.$/,
    );
  });

  it.each<readonly [string, Answer, string]>([
    ["a page", (response) => response.end("<html>"), "is not JSON"],
    ["null", (response) => response.end("null"), "has no text"],
    ["no choice", (response) => response.end('{"choices":[]}'), "has no text"],
    ["a list for a text", completion([1]), "has no text"],
    ["half a text", completion("It was", "length"), "was cut off"],
    ["megabytes", completion("x".repeat(1_100_000)), "is far too long"],
  ])("takes %s for no answer", async (_, answer, message) => {
    const { url, seen } = await endpoint(answer);
    await expect(condenserAt(url).condense("t", 10)).rejects.toThrow(`The endpoint's answer ${message}.`);
    expect(seen).toHaveLength(1);
  });

  it("follows nobody to another address", async () => {
    const other = await endpoint(completion("stolen"));
    const { url } = await endpoint((response) => response.writeHead(307, { location: `${other.url}/chat/completions` }).end());
    await expect(condenserAt(url).condense("t", 10)).rejects.toMatchObject({ code: "INTERNAL" });
    expect(other.seen).toEqual([]);
  });
});
