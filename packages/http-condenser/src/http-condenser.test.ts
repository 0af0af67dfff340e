import { type Answer, closeEndpoints, openEndpoint, type SeenRequest } from "../../http-endpoint/src/testing/index.ts";
import { afterEach, describe, expect, it } from "vitest";
import { httpCondenser, type HttpCondenserOptions } from "./http-condenser.ts";

interface Request {
  readonly model: string;
  readonly messages: readonly { readonly role: string; readonly content: string }[];
}

afterEach(closeEndpoints);

async function endpoint(answer: Answer<Request>): Promise<{ readonly url: string; readonly seen: readonly SeenRequest<Request>[] }> {
  const { url, seen } = await openEndpoint(answer);
  return { url: `${url}/v1`, seen };
}

function completion(content: unknown, finish = "stop"): Answer<Request> {
  return (response) => response.end(JSON.stringify({ choices: [{ message: { role: "assistant", content }, finish_reason: finish }] }));
}

function condenserAt(url: string, options: Partial<HttpCondenserOptions> = {}): ReturnType<typeof httpCondenser> {
  return httpCondenser({ url, model: "small", timeoutMs: 60_000, ...options });
}

describe("httpCondenser", () => {
  it("asks the model for a number of words, with the focus and the key", async () => {
    const { url, seen } = await endpoint(completion(" Shorter.\n"));
    const condenser = condenserAt(`${url}/`, { apiKey: "k" });
    expect(condenser.name).toBe("small");
    expect(await condenser.condense("A long text.", 100, "the export")).toBe("Shorter.");
    expect(seen).toHaveLength(1);
    expect(seen[0]).toMatchObject({ url: "/v1/chat/completions", headers: { authorization: "Bearer k" }, body: { model: "small" } });
    expect(seen[0]?.body.messages[0]?.content).toMatch(/At most 70 words\..* the export$/);
    expect(seen[0]?.body.messages[1]).toEqual({ role: "user", content: "A long text." });
  });

  it("sends no key without one, and strips the model's thinking", async () => {
    const { url, seen } = await endpoint(completion("<think>\nHm.\n</think>\n\nShorter."));
    expect(await condenserAt(url).condense("t", 10)).toBe("Shorter.");
    expect(seen[0]?.headers).not.toHaveProperty("authorization");
  });

  it("retries temporary failures exactly once", async () => {
    const once = await endpoint((response, call, body) =>
      call === 1 ? response.writeHead(500).end() : completion("Now.")(response, call, body),
    );
    expect(await condenserAt(once.url).condense("t", 10)).toBe("Now.");
    const lost = await endpoint((response, call, body) => (call === 1 ? response.destroy() : completion("Now.")(response, call, body)));
    expect(await condenserAt(lost.url).condense("t", 10)).toBe("Now.");
    const always = await endpoint((response) => response.writeHead(503).end("busy"));
    await expect(condenserAt(always.url).condense("t", 10)).rejects.toMatchObject({ code: "INTERNAL", details: { status: 503 } });
    expect(always.seen).toHaveLength(2);
  });

  it.each<readonly [string, Answer<Request>, string]>([
    ["null", (response) => response.end("null"), "has no text"],
    ["no choice", (response) => response.end('{"choices":[]}'), "has no text"],
    ["a list for a text", completion([1]), "has no text"],
    ["half a text", completion("It was", "length"), "was cut off"],
  ])("takes %s for no answer", async (_, answer, message) => {
    const { url, seen } = await endpoint(answer);
    await expect(condenserAt(url).condense("t", 10)).rejects.toThrow(`The endpoint's answer ${message}.`);
    expect(seen).toHaveLength(1);
  });
});
