import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { CliUnderTest, useCli } from "../testing/use-cli.ts";
import { startUi, type UiProcess } from "./testing/ui-process.ts";

const cli = useCli();

interface Answer {
  readonly status: number | undefined;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly body: string;
}

interface Asked {
  readonly method?: string;
  readonly headers?: NodeJS.Dict<string>;
  readonly body?: unknown;
}

/** Sends a request with exactly these headers, which `fetch` would not. */
function ask(origin: string, path: string, { method = "POST", headers = {}, body = {} }: Asked = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(new URL(path, origin), { method, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () => resolve({ status: response.statusCode, headers: response.headers, body: Buffer.concat(chunks).toString() }));
    });
    sent.on("error", reject);
    sent.end(method === "POST" ? JSON.stringify(body) : undefined);
  });
}

function asPage(origin: string, cookie?: string): NodeJS.Dict<string> {
  return { origin, "content-type": "application/json", "sec-fetch-site": "same-origin", ...(cookie === undefined ? {} : { cookie }) };
}

async function signIn({ origin, token }: UiProcess): Promise<{ readonly cookie: string; readonly answer: Answer }> {
  const answer = await ask(origin, "/session", { headers: asPage(origin), body: { token } });
  const [set = ""] = (answer.headers["set-cookie"] ?? []) as string[];
  return { cookie: set.split(";")[0] ?? "", answer };
}

describe("the server of workrail ui", () => {
  let ui: UiProcess;

  beforeEach(async () => {
    await cli.save({ goal: "ship" }, "--session", "shop", "--id", "first");
    ui = await startUi(cli);
  });
  afterEach(async () => {
    await ui.stop();
  });

  it("admits the first browser with the link, and answers its calls by the library", async () => {
    const { cookie, answer } = await signIn(ui);
    expect(answer.status).toBe(200);
    expect(answer.headers["set-cookie"]).toEqual([expect.stringMatching(/^workrail-\d+=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/u)]);
    const listed = await ask(ui.origin, "/api/sessions", { headers: asPage(ui.origin, cookie) });
    expect(JSON.parse(listed.body)).toMatchObject({ total: 1, mayWrite: false, sessions: [{ id: "shop", checkpoints: 1 }] });
  });

  it("refuses the link a second time, and data without the cookie", async () => {
    await signIn(ui);
    const { answer } = await signIn(ui);
    expect(answer.status).toBe(403);
    expect(answer.headers["set-cookie"]).toBeUndefined();
    // Another user of the machine can reach the port, but has no cookie.
    expect((await ask(ui.origin, "/api/sessions", { headers: asPage(ui.origin) })).status).toBe(401);
    const guessed = asPage(ui.origin, `workrail-${new URL(ui.origin).port}=${"A".repeat(43)}`);
    expect((await ask(ui.origin, "/api/sessions", { headers: guessed })).status).toBe(401);
    expect((await ask(ui.origin, "/events", { method: "GET" })).status).toBe(401);
  });

  it("refuses a wrong token without using the link up", async () => {
    const wrong = await ask(ui.origin, "/session", { headers: asPage(ui.origin), body: { token: "guess" } });
    expect(wrong.status).toBe(403);
    expect((await signIn(ui)).answer.status).toBe(200);
  });

  it("refuses other host names, other origins and forms, even with the cookie", async () => {
    const { cookie } = await signIn(ui);
    const good = asPage(ui.origin, cookie);
    const { port } = new URL(ui.origin);
    const cases: readonly (readonly [string, NodeJS.Dict<string>])[] = [
      ["another name that leads here", { ...good, host: `evil.example:${port}` }],
      ["another port", { ...good, host: "127.0.0.1:1" }],
      ["another origin", { ...good, origin: "https://evil.example" }],
      ["a sandboxed page", { ...good, origin: "null" }],
      ["another port's page", { ...good, origin: `http://127.0.0.1:${Number(port) + 1}` }],
      ["no origin", { ...good, origin: undefined }],
      ["another site, as the browser says", { ...good, "sec-fetch-site": "cross-site" }],
      ["a form", { ...good, "content-type": "text/plain" }],
    ];
    for (const [what, headers] of cases) {
      const sent = Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined));
      expect((await ask(ui.origin, "/api/sessions", { headers: sent })).status, what).toBe(403);
    }
    expect((await ask(ui.origin, "/events", { method: "GET", headers: { cookie, "sec-fetch-site": "cross-site" } })).status).toBe(403);
    expect((await ask(ui.origin, "/", { method: "GET", headers: { host: `evil.example:${port}` } })).status).toBe(403);
  });

  it("changes nothing unless it was started with --write", async () => {
    const { cookie } = await signIn(ui);
    const headers = asPage(ui.origin, cookie);
    const refused = await ask(ui.origin, "/api/tag", { headers, body: { sessionId: "shop", add: ["urgent"] } });
    expect([refused.status, JSON.parse(refused.body)]).toMatchObject([
      403,
      { error: { code: "READ_ONLY", hint: expect.stringContaining("--write") } },
    ]);
    const looks: readonly (readonly [string, object])[] = [
      ["context", { checkpointId: "first" }],
      ["resume", { checkpointId: "first", budgetTokens: 500, depth: "view" }],
      ["handoff", { checkpointId: "first", budgetTokens: 500 }],
    ];
    for (const [name, body] of looks) expect((await ask(ui.origin, `/api/${name}`, { headers, body })).status).toBe(200);
    // Windows has no interrupt that a process could handle.
    expect(await ui.stop()).toBe(process.platform === "win32" ? null : 0);
    // Not even a use is recorded.
    const { entries } = await cli.json<{ readonly entries: readonly { readonly action: string }[] }>(["audit", "list"]);
    expect(entries.map(({ action }) => action)).toEqual(["save"]);
  });

  it("names the faults of a call", async () => {
    const { cookie } = await signIn(ui);
    const headers = asPage(ui.origin, cookie);
    const missing = await ask(ui.origin, "/api/context", { headers, body: { checkpointId: "nothing-here" } });
    expect([missing.status, JSON.parse(missing.body)]).toMatchObject([422, { error: { code: "CHECKPOINT_NOT_FOUND" } }]);
    expect((await ask(ui.origin, "/api/context", { headers, body: { checkpointId: 7 } })).status).toBe(400);
    expect((await ask(ui.origin, "/api/constructor", { headers })).status).toBe(404);
    expect((await ask(ui.origin, "/api/search", { headers, body: { query: "x".repeat(400_000) } })).status).toBe(413);
  });
});

describe("the page of workrail ui", () => {
  // No test signs in or writes: one server is enough.
  const own = new CliUnderTest();
  let shared: UiProcess;

  beforeAll(async () => {
    own.dist = cli.dist;
    own.folder = mkdtempSync(join(tmpdir(), "workrail-ui-"));
    mkdirSync(own.project);
    await own.save({ goal: "ship" }, "--session", "shop", "--id", "first");
    shared = await startUi(own);
  });
  afterAll(async () => {
    await shared.stop();
    rmSync(own.folder, { recursive: true, force: true, maxRetries: 3 });
  });

  it("serves one page without data, under a policy that lets only its own script run", async () => {
    const page = await ask(shared.origin, "/", { method: "GET" });
    expect(page.status).toBe(200);
    expect(page.body).not.toContain("ship");
    const policy = String(page.headers["content-security-policy"]);
    expect(policy).toMatch(/^default-src 'none'; script-src 'sha256-[\w+/=]+'; style-src 'sha256-[\w+/=]+';/u);
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toContain("require-trusted-types-for 'script'");
    expect(policy).not.toContain("unsafe");
    expect(page.headers).toMatchObject({
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
    });
    expect((await ask(shared.origin, "/package.json", { method: "GET" })).status).toBe(401);
  });

  it("serves the page's script separately, with the digest that page and policy name", async () => {
    const page = await ask(shared.origin, "/", { method: "GET" });
    const [, path = "", integrity = ""] = /<script type="module" src="([^"]+)" integrity="([^"]+)">/u.exec(page.body) ?? [];
    const script = await ask(shared.origin, path, { method: "GET" });
    expect(script).toMatchObject({ status: 200, headers: { "content-type": "text/javascript; charset=utf-8" } });
    expect(`sha256-${createHash("sha256").update(script.body).digest("base64")}`).toBe(integrity);
    expect(String(page.headers["content-security-policy"])).toContain(`script-src '${integrity}';`);
    const { port } = new URL(shared.origin);
    expect((await ask(shared.origin, path, { method: "GET", headers: { host: `evil.example:${port}` } })).status).toBe(403);
  });

  it("sends the whole page in 60 KB, compressed", () => {
    expect(gzipSync(readFileSync(join(cli.dist, "timeline.html"))).length).toBeLessThan(60 * 1024);
  });
});
