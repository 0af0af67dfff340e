import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { type IncomingMessage, request, type ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import process from "node:process";
import { buffer } from "node:stream/consumers";
import { freePort, selfSignedCertificate } from "@workrail/faults";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bundleServer } from "../testing/bundle.ts";
import { HttpFixture } from "../testing/http-fixture.ts";
import { TestHome } from "../testing/server-process.ts";
import { createToken } from "./token-file.ts";

/** A reverse proxy that ends TLS, as in front of a server on another machine. */
class TlsProxy {
  readonly cert: string;
  readonly #server: Server;
  /** Port of the node. */
  target = 0;
  /** True: passes an answer on only when it is complete. */
  buffers = false;
  /** Requests to refuse with 429. */
  toRefuse = 0;
  /** Requests that came, refused ones too. */
  requests = 0;
  /** Clients that ended the connection before a request. */
  failedHandshakes = 0;

  private constructor() {
    const { key, cert } = selfSignedCertificate(["localhost", "127.0.0.1"]);
    this.cert = cert;
    this.#server = createServer({ key, cert }, (incoming, outgoing) => void this.#pass(incoming, outgoing));
    this.#server.on("tlsClientError", () => (this.failedHandshakes += 1));
  }

  static async start(): Promise<TlsProxy> {
    const proxy = new TlsProxy();
    proxy.#server.listen(0, "127.0.0.1");
    await once(proxy.#server, "listening");
    return proxy;
  }

  get origin(): string {
    return `https://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async #pass(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    this.requests += 1;
    const body = await buffer(incoming);
    if (this.toRefuse > 0) {
      this.toRefuse -= 1;
      outgoing.writeHead(429, { "retry-after": "1" }).end();
      return;
    }
    const { method, url: path, headers } = incoming;
    const sent = request({ hostname: "127.0.0.1", port: this.target, method, path, headers });
    sent.end(body);
    const [answer] = (await once(sent, "response")) as [IncomingMessage];
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
    if (this.buffers) outgoing.end(await buffer(answer));
    else answer.pipe(outgoing);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }
}

describe("a node behind a reverse proxy with TLS", () => {
  let home: TestHome;
  let proxy: TlsProxy;
  let node: HttpFixture;
  let token: string;
  let launcher: string;
  let authority: string;

  beforeAll(async () => {
    home = await TestHome.create();
    proxy = await TlsProxy.start();
    proxy.target = await freePort();
    authority = join(home.directory, "authority.pem");
    writeFileSync(authority, proxy.cert);
    launcher = join(await bundleServer(), "workrail-mcp.mjs");
    const file = join(home.directory, "tokens.json");
    token = createToken(file, { name: "all", scopes: ["read", "write"], days: 1 });
    const args = [launcher, "--http", String(proxy.target), "--http-url", `${proxy.origin}/mcp`, "--http-token-file", file];
    const program = { command: process.execPath, args, cwd: home.project };
    node = await HttpFixture.start({ program, env: { WORKRAIL_DATA_DIR: join(home.directory, "node") } });
  });

  afterAll(async () => {
    await node[Symbol.asyncDispose]();
    await proxy[Symbol.asyncDispose]();
    await home[Symbol.asyncDispose]();
  });

  /** Runs a command on a machine whose store is the node. */
  async function run(args: readonly string[], { input = "", trusts = true } = {}): Promise<object> {
    const own = {
      WORKRAIL_DATA_DIR: join(home.directory, "laptop"),
      WORKRAIL_STORE: proxy.origin,
      WORKRAIL_STORE_TOKEN: token,
      ...(trusts ? { NODE_EXTRA_CA_CERTS: authority } : {}),
    };
    const child = spawn(process.execPath, [launcher, ...args], { cwd: home.project, env: { ...process.env, ...own } });
    let [stdout, stderr] = ["", ""];
    child.stdout.on("data", (bytes: Buffer) => (stdout += bytes.toString()));
    child.stderr.on("data", (bytes: Buffer) => (stderr += bytes.toString()));
    child.stdin.end(input);
    const [code] = (await once(child, "close")) as [number | null];
    return { code, stdout, stderr };
  }

  it.each(["streams", "buffers"])("saves, loads, verifies and exports when the proxy %s answers", async (how) => {
    proxy.buffers = how === "buffers";
    const context = { goal: "Mend the quay", notes: "n".repeat(300_000) };
    const saved = await run(["save", "--session", how], { input: JSON.stringify(context) });
    expect(saved).toMatchObject({ code: 0 });
    const file = join(home.directory, `${how}.json`);
    expect(await run(["export", "--session", how, "--output", file])).toMatchObject({ code: 0 });
    expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({ checkpoints: [{ context }] });
    expect(await run(["verify"])).toMatchObject({ code: 0 });
    expect(await run(["resume", "--session", how])).toMatchObject({ code: 0, stdout: expect.stringContaining("Mend the quay") as string });
  });

  it("is refused without its certificate authority, after one try", async () => {
    const before = proxy.failedHandshakes;
    const { code, stderr } = (await run(["list"], { trusts: false })) as { readonly code: number; readonly stderr: string };
    expect({ code, tries: proxy.failedHandshakes - before }).toEqual({ code: 15, tries: 1 });
    expect(stderr).toContain("STORAGE_UNAVAILABLE: The certificate of the node is not trusted");
    expect(stderr).toContain("NODE_EXTRA_CA_CERTS");
    expect(stderr).not.toContain(token);
  });

  it("is asked again after the time that a refusal names", async () => {
    proxy.toRefuse = 1;
    const before = proxy.requests;
    expect(await run(["save", "--session", "refused"], { input: '{"a":1}' })).toMatchObject({ code: 0 });
    expect(proxy.requests - before).toBe(2);
  });
});
