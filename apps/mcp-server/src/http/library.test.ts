import { execFileSync, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { basename, join } from "node:path";
import process from "node:process";
import { setTimeout as pause } from "node:timers/promises";
import { freePort } from "@workrail/faults";
import { isWorkrailError, openWorkrail, syncStore, type Workrail } from "@workrail/runtime";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bundleServer } from "../testing/bundle.ts";
import { HttpFixture } from "../testing/http-fixture.ts";
import type { Command } from "../testing/raw-client.ts";
import { TestHome } from "../testing/server-process.ts";
import { createToken, type NewToken, revokeToken } from "./token-file.ts";

describe("a node as the store of the library", () => {
  let home: TestHome;
  let server: HttpFixture;
  let tokens: Record<string, string>;
  let programAt: (port: number) => Command;
  let project: string;

  beforeAll(async () => {
    home = await TestHome.create();
    project = join(home.directory, "harbour");
    mkdirSync(project);
    const file = join(home.directory, "tokens.json");
    const given: readonly Omit<NewToken, "days">[] = [
      { name: "all", scopes: ["read", "write", "admin"] },
      { name: "reader", scopes: ["read"] },
      { name: "writer", scopes: ["read", "write"] },
      { name: "fleeting", scopes: ["read"] },
      { name: "confined", scopes: ["read", "write"], projects: [project] },
    ];
    tokens = Object.fromEntries(given.map((token) => [token.name, createToken(file, { ...token, days: 1 })]));
    const launcher = join(await bundleServer(), "workrail-mcp.mjs");
    programAt = (port) => {
      const args = [launcher, "--http", String(port), "--http-token-file", file, "--http-rate-limit", "0"];
      return { command: process.execPath, args, cwd: home.project };
    };
    server = await HttpFixture.start({ program: programAt(0), env: { WORKRAIL_DATA_DIR: join(home.directory, "data") } });
  });

  afterAll(async () => {
    await server[Symbol.asyncDispose]();
    await home[Symbol.asyncDispose]();
  });

  function open(token: string, options: { readonly project?: string } = {}): Promise<Workrail> {
    const env = { WORKRAIL_STORE: server.url.origin, WORKRAIL_STORE_TOKEN: tokens[token] };
    return openWorkrail({ env, project: join(home.directory, "laptop"), ...options });
  }

  /** Opens a local store on the node's data directory. */
  function openBeside(): Promise<Workrail> {
    return openWorkrail({ env: {}, dataDir: join(home.directory, "data"), project: join(home.directory, "laptop"), upkeep: false });
  }

  /** Returns an outcome, with errors as data. */
  async function outcomeOf(store: Workrail, [name, ...args]: Call): Promise<unknown> {
    try {
      const answer = (store as unknown as Record<string, (...all: readonly unknown[]) => unknown>)[name]?.(...args);
      return Symbol.asyncIterator in (answer as object) ? await allOf(answer as AsyncIterable<unknown>) : await answer;
    } catch (error) {
      if (!isWorkrailError(error)) throw error;
      const { code, message, details, hint } = error;
      return { code, message, details, hint };
    }
  }

  it("saves, loads and lists a context unchanged, with the project of the caller's machine", async () => {
    await using store = await open("all");
    const context = { goal: "build a quay", $: { $$: 0, $$$: [] }, when: [1, null, "2"], __proto__x: "\ud800" };
    const saved = await store.saveCheckpoint({ sessionId: "quay", context });
    expect(saved).toMatchObject({ status: "SAVED", sessionId: "quay", durability: "disk" });
    const loaded = await store.loadCheckpoint({ sessionId: "quay" });
    expect(JSON.stringify(loaded.context)).toBe(JSON.stringify(context));
    expect(loaded.metadata.project).toBe(join(home.directory, "laptop"));
    expect(await store.findCheckpoints({ sessionId: "quay" })).toMatchObject({ total: 1, checkpoints: [{ id: saved.checkpointId }] });
    expect(await store.storeStatus()).toMatchObject({ checkpoints: 1, sessions: 1, durability: "disk" });
    expect(store.dataDir).toBeUndefined();
  });

  it("answers as a local store does, errors included", async () => {
    await using store = await open("all");
    await using local = await openBeside();
    const ids: string[] = [];
    for (const step of [1, 2, 3]) {
      const metadata = { name: `step ${step}`, tags: ["parity"] };
      ids.push(
        (await store.saveCheckpoint({ sessionId: "parity", context: { goal: "compare", step, notes: "n".repeat(500) }, metadata }))
          .checkpointId,
      );
    }
    const [first = "", , last = ""] = ids;
    await store.appendRecords({ checkpointId: last, records: [{ key: "blob", bytes: Uint8Array.of(0, 255) }] });
    const calls: readonly Call[] = [
      ["loadCheckpoint", { checkpointId: first, isPeek: true }],
      ["loadCheckpoint", { sessionId: "parity", isPeek: true }],
      ["loadCheckpoints", { ids: [first, "c0ffee11-0000-4000-8000-000000000011"], isPeek: true }],
      ["loadTexts", { ids, withRecords: true }],
      ["findCheckpoints", { tags: ["parity"], limit: 2 }],
      ["listCheckpoints", { sessionId: "parity" }],
      ["eachCheckpoint", { sessionId: "parity" }],
      ["resolveCheckpoint", "latest~1", { sessionId: "parity" }],
      ["searchCheckpoints", { query: "compare" }],
      ["compareCheckpoints", { fromId: first, toId: last }],
      ["viewCheckpoint", { sessionId: "parity", budgetTokens: 200, isPeek: true }],
      ["viewBriefly", { checkpointId: last, isPeek: true }],
      ["handoff", { sessionId: "parity", isPeek: true }],
      ["resumeWork", { sessionId: "parity", isPeek: true }],
      ["listSessions"],
      ["listTags"],
      ["traceSession", { sessionId: "parity" }],
      ["storeStats", { sessionId: "parity" }],
      ["scanStore", { sessionId: "parity" }],
      ["listTrash"],
      ["auditLog", { sessionId: "parity", actions: ["save"] }],
      ["exportText", "parity"],
      ["cleanUp", { sessionId: "parity", keepLast: 1, dryRun: true }],
      ["erase", { sessionId: "parity", dryRun: true }],
      ["tokensOf", { a: 1 }],
      ["fitAnswer", {}, [{ a: 1 }]],
      ["loadCheckpoint", { checkpointId: "c0ffee11-0000-4000-8000-000000000011" }],
      ["loadCheckpoint", { checkpointId: "no id" }],
      ["loadCheckpoint", { nothing: 1 }],
      ["saveCheckpoint", { sessionId: "parity", context: { rate: Number.NaN } }],
      ["saveCheckpoint", { sessionId: "parity", context: { a: 1 }, expectedParentId: first }],
      ["saveCheckpoint", { sessionId: "parity", patch: { set: { step: 4 } }, context: {} }],
      ["traceSession", { sessionId: "unknown" }],
      ["restoreFromTrash", { sessionId: "parity" }],
      ["markCritical", { sessionId: "parity", contextKey: "goal" }],
      ["tagSession", { sessionId: "parity", add: ["x".repeat(10_000)] }],
    ];
    for (const call of calls) {
      const [there, here] = [await outcomeOf(store, call), await outcomeOf(local, call)];
      expect({ call, ...plain(there) }).toEqual({ call, ...plain(here) });
    }
  });

  it("continues in the session that the program used, in the order of its calls", async () => {
    await using store = await open("all");
    const saves = [1, 2, 3].map((step) => store.saveCheckpoint({ context: { step, of: "three" } }));
    const [first, ...others] = await Promise.all(saves);
    expect(first?.sessionReason).toBe("fresh");
    expect(others.map(({ sessionReason, sessionId }) => [sessionReason, sessionId])).toEqual(
      others.map(() => ["process", first?.sessionId]),
    );
    const { checkpoints } = await store.findCheckpoints({ sessionId: first?.sessionId ?? "" });
    expect(checkpoints.map(({ id }) => id).toReversed()).toEqual([first, ...others].map((each) => each?.checkpointId));
    expect(await store.markCritical({ contextKey: "step" })).toMatchObject({ status: "SUCCESS", sessionId: first?.sessionId });
  });

  it("copies a session with ids from a function, as a local store does", async () => {
    await using store = await open("all");
    await using local = await openBeside();
    for (const step of [1, 2]) {
      const saved = { checkpointId: `to-copy-${step}`, context: { step }, metadata: { attributes: { thread: "one" } } };
      await store.saveCheckpoint({ sessionId: "to-copy", ...saved });
    }
    const named = (place: string) => (id: string, attributes: object) => ({
      checkpointId: `${place}-${id}`,
      attributes: { thread: place, was: (attributes as { readonly thread: string }).thread },
    });
    const copied: unknown[] = [];
    for (const [place, at] of [
      ["there", store],
      ["here", local],
    ] as const) {
      const params = { fromSessionId: "to-copy", toSessionId: place, rename: named(place) };
      expect(await at.copySession(params)).toEqual({
        copies: [1, 2].map((step) => ({ from: `to-copy-${step}`, to: `${place}-to-copy-${step}` })),
        present: 0,
      });
      const { checkpoints } = await local.traceSession({ sessionId: place });
      const { metadata, context } = await local.loadCheckpoint({ checkpointId: `${place}-to-copy-2`, isPeek: true });
      copied.push({ context, parent: metadata.parentId, attributes: metadata.attributes, checkpoints: checkpoints.length, place });
    }
    expect(copied).toEqual(
      ["there", "here"].map((place) => ({
        context: { step: 2 },
        parent: `${place}-to-copy-1`,
        attributes: { thread: place, was: "one" },
        checkpoints: 2,
        place,
      })),
    );
    const only = new Map([["to-copy-1", {}]]);
    expect(await store.copySession({ fromSessionId: "to-copy", toSessionId: "only", rename: only })).toMatchObject({
      copies: [{ from: "to-copy-1" }],
    });
    await expect(store.copySession({ fromSessionId: "to-copy", toSessionId: "only", rename: {} as never })).rejects.toMatchObject({
      code: "INVALID_INPUT",
      details: { field: "rename" },
    });
    await expect(store.copySession({ fromSessionId: "unknown", toSessionId: "x", rename: named("x") })).rejects.toMatchObject({
      code: "SESSION_NOT_FOUND",
    });
  });

  it("calls callbacks in parameters, and ends a stream when its signal aborts", async () => {
    await using store = await open("all");
    const told: unknown[] = [];
    await store.verifyStore({ onProgress: (progress) => told.push(progress) });
    expect(told.length).toBeGreaterThan(0);
    const ending = new AbortController();
    const changes = store.watchChanges({ signal: ending.signal })[Symbol.asyncIterator]();
    expect(await changes.next()).toMatchObject({ value: { sessions: [] } });
    await store.saveCheckpoint({ sessionId: "watched", context: { a: 1 } });
    expect(await changes.next()).toMatchObject({ value: { sessions: [{ sessionId: "watched" }] } });
    ending.abort(new Error("enough"));
    await expect(changes.next()).rejects.toThrow("enough");
  });

  it("uses repository and context rules of the caller's machine, and none of the node's", async () => {
    const laptop = join(home.directory, "with-git");
    mkdirSync(join(laptop, ".git"), { recursive: true });
    mkdirSync(join(laptop, ".workrail"));
    writeFileSync(join(laptop, ".git", "HEAD"), "ref: refs/heads/far-away\n");
    writeFileSync(join(laptop, ".workrail", "context-rules.json"), JSON.stringify({ layers: { CRITICAL: ["harbour"] } }));
    await using store = await open("all", { project: laptop });
    const { checkpointId } = await store.saveCheckpoint({ context: { harbour: "x", note: "y" } });
    const { metadata } = await store.loadCheckpoint({ checkpointId });
    expect(metadata).toMatchObject({ gitState: { branch: "far-away" }, layers: { CRITICAL: 1 } });
    rmSync(join(laptop, ".git"), { recursive: true });
    await using other = await open("all", { project: laptop });
    const bare = await other.saveCheckpoint({ context: { harbour: "z" } });
    expect((await other.loadCheckpoint({ checkpointId: bare.checkpointId })).metadata).not.toHaveProperty("gitState");
  });

  it.skipIf(noGit)("reports the changes in the caller's repository since a save, as a local store does", async () => {
    const laptop = join(home.directory, "with-commits");
    const at = new Date(Date.now() - 60_000);
    const write = (name: string, text: string, time = at): void => {
      writeFileSync(join(laptop, name), text);
      utimesSync(join(laptop, name), time, time);
    };
    mkdirSync(laptop);
    git(laptop, "init", "-q", "-b", "main");
    write("pier.ts", "1\n");
    write("crane.ts", "1\n");
    commitAll(laptop);
    await using store = await open("all", { project: laptop });
    await using local = await openWorkrail({ env: {}, dataDir: join(home.directory, "data"), project: laptop, upkeep: false });
    const { checkpointId } = await store.saveCheckpoint({ sessionId: "drift", context: { goal: "Mend pier.ts", also: "crane.ts" } });
    write("pier.ts", "2\n", new Date(Date.now() + 5_000));
    commitAll(laptop);
    const asked = [
      { sessionId: "drift" },
      { checkpointId, depth: "summary" },
      { since: checkpointId, depth: "full" },
      { checkpointId, budgetTokens: 300 },
    ] as const;
    for (const params of asked) {
      const call: Call = ["resumeWork", { ...params, isPeek: true }];
      const [there, here] = [await outcomeOf(store, call), await outcomeOf(local, call)];
      expect({ call, ...plain(there) }).toEqual({ call, ...plain(here) });
      expect(there).toMatchObject({ drift: { relation: "ahead", ahead: 1, files: { named: 2 } } });
    }
    const changed = { drift: { files: { changed: ["pier.ts"] } } };
    expect(await store.resumeWork({ checkpointId })).toMatchObject(changed);
    await using bare = await open("all");
    expect(await bare.resumeWork({ checkpointId, cwd: laptop })).toMatchObject(changed);
    expect(await store.resumeWork({ sessionId: "unknown" })).toMatchObject({ status: "CANDIDATES" });
    await bare.saveCheckpoint({ sessionId: "without-git", context: { goal: "Mend pier.ts" } });
    expect(await store.resumeWork({ sessionId: "without-git" })).not.toHaveProperty("drift");
  });

  it("ends a stream once the token is revoked", async () => {
    await using store = await open("fleeting");
    await using all = await open("all");
    const changes = store.watchChanges()[Symbol.asyncIterator]();
    await changes.next();
    revokeToken(join(home.directory, "tokens.json"), "fleeting");
    await all.saveCheckpoint({ sessionId: "secret", context: { a: 1 } });
    await expect(changes.next()).rejects.toMatchObject({ code: "STORAGE_UNAVAILABLE" });
  });

  it("answers calls while many streams are open, whose calls came without a length or with a large body", async () => {
    const headers = { "content-type": "application/json", authorization: `Bearer ${tokens["all"]}` };
    const closing = new AbortController();
    const watch = async (spaces = 0): Promise<number> => {
      const body = ReadableStream.from([Buffer.from(`{"version":1,"args":[]}${" ".repeat(spaces)}`)]);
      const init = { method: "POST", headers, body, duplex: "half" as const, signal: closing.signal };
      return (await fetch(new URL("/library/watchChanges", server.url), init)).status;
    };
    for (let count = 0; count < 5; count++) expect(await watch()).toBe(200);
    expect(await watch(100_000)).toBe(413);
    await using store = await open("all");
    expect(await store.storeStatus()).toMatchObject({ durability: "disk" });
    closing.abort();
  });

  it("exports to files of this machine, and imports from them", async () => {
    await using store = await open("all");
    await store.saveCheckpoint({ sessionId: "moved", context: { a: 1 } });
    const exported = await store.exportSession("moved", { file: join(home.directory, "moved.json") });
    expect(JSON.parse(readFileSync(exported.file, "utf8"))).toMatchObject({ checkpoints: [{ context: { a: 1 } }] });
    await store.erase({ sessionId: "moved" });
    expect(await store.importFile(exported.file)).toMatchObject({ sessionId: "moved", added: 1 });
    expect((await store.exportAll(join(home.directory, "all"))).exports.map(({ sessionId }) => sessionId)).toContain("moved");
    expect((await store.exportAuditLog(join(home.directory, "audit.jsonl"))).sizeBytes).toBeGreaterThan(0);
    await expect(store.backup(join(home.directory, "backup"))).rejects.toMatchObject({
      code: "INVALID_INPUT",
      details: { operation: "backup" },
    });
  });

  it("limits each token to its scopes, and names the token in the audit log", async () => {
    await using reader = await open("reader");
    await using writer = await open("writer");
    await writer.saveCheckpoint({ sessionId: "rights", context: { a: 1 } });
    expect((await reader.loadCheckpoint({ sessionId: "rights" })).context).toEqual({ a: 1 });
    await expect(reader.saveCheckpoint({ sessionId: "rights", context: { a: 2 } })).rejects.toMatchObject({
      code: "READ_ONLY",
      details: { scope: "write" },
    });
    await expect(writer.erase({ sessionId: "rights" })).rejects.toMatchObject({ code: "READ_ONLY", details: { scope: "admin" } });
    const { entries } = await reader.auditLog({ sessionId: "rights", actions: ["save"] });
    expect(entries).toMatchObject([{ subject: "writer" }]);
    await using stranger = await openWorkrail({ env: { WORKRAIL_STORE: server.url.origin, WORKRAIL_STORE_TOKEN: "wrk_no" } });
    await expect(stranger.listSessions()).rejects.toMatchObject({ code: "INVALID_INPUT", details: { field: "storeToken" } });
  });

  it("shows a confined token nothing but its projects", async () => {
    await using all = await open("all");
    await all.saveCheckpoint({ sessionId: "elsewhere", context: { a: 1 } });
    await using confined = await open("confined", { project });
    const saved = await confined.saveCheckpoint({ context: { own: true } });
    expect(saved.status).toBe("SAVED");
    expect(await confined.findCheckpoints({ project: null })).toMatchObject({
      total: 1,
      checkpoints: [{ id: saved.checkpointId, project }],
    });
    await expect(confined.loadCheckpoint({ sessionId: "elsewhere" })).rejects.toMatchObject({ code: "SESSION_NOT_FOUND" });
    await expect(confined.auditLog()).rejects.toMatchObject({ code: "INVALID_INPUT", details: { field: "projects" } });
    const part = all.asCaller({ projects: [project] });
    await expect(part.loadCheckpoint({ sessionId: "elsewhere" })).rejects.toMatchObject({ code: "SESSION_NOT_FOUND" });
    expect((await part.loadCheckpoint({ sessionId: saved.sessionId })).context).toEqual({ own: true });
  });

  // They wait for repeated requests, so they run at the same time.
  describe.concurrent("whose answers are lost", () => {
    it.each(["all", "confined"])("saves once when an answer is lost, with the token %s", async (token) => {
      await using proxy = await openLossyProxy(server.url, 2);
      const env = { WORKRAIL_STORE: proxy.url, WORKRAIL_STORE_TOKEN: tokens[token] };
      await using store = await openWorkrail({ env, project });
      const saved = await store.saveCheckpoint({ context: { log: ["a"] } });
      expect(saved.status).toBe("SAVED");
      proxy.loseNext(1);
      const patched = await store.saveCheckpoint({ patch: { append: { log: ["b"] } } });
      expect(patched).toMatchObject({ status: "SAVED", sessionId: saved.sessionId });
      const { checkpoints } = await store.findCheckpoints({ sessionId: saved.sessionId });
      expect(checkpoints.map(({ id }) => id)).toEqual([patched.checkpointId, saved.checkpointId]);
      expect((await store.loadCheckpoint({ sessionId: saved.sessionId })).context).toEqual({ log: ["a", "b"] });
      expect(proxy.lost).toBe(3);
    });

    it("does not repeat a removal whose answer is lost, and says that the outcome is unknown", async () => {
      await using all = await open("all");
      const { checkpointId } = await all.saveCheckpoint({ sessionId: "gone", context: { a: 1 } });
      await using proxy = await openLossyProxy(server.url, 1);
      await using store = await openWorkrail({ env: { WORKRAIL_STORE: proxy.url, WORKRAIL_STORE_TOKEN: tokens["all"] } });
      await expect(store.deleteCheckpoint({ checkpointId })).rejects.toMatchObject({
        code: "STORAGE_UNAVAILABLE",
        details: { reason: "no-answer" },
      });
      expect(proxy.lost).toBe(1);
      await expect(all.loadCheckpoint({ checkpointId })).rejects.toMatchObject({ code: "CHECKPOINT_NOT_FOUND" });
    });

    it("reports an unreachable node, and a server that is not a node", async () => {
      await using proxy = await openLossyProxy(server.url, 0);
      await proxy[Symbol.asyncDispose]();
      await using store = await openWorkrail({ env: { WORKRAIL_STORE: proxy.url, WORKRAIL_STORE_TOKEN: "wrk_secret" } });
      const failure = await store.saveCheckpoint({ context: { a: 1 } }).catch((error: unknown) => error);
      expect(failure).toMatchObject({ code: "STORAGE_UNAVAILABLE", details: { reason: "unreachable" } });
      expect(String(failure)).not.toContain("wrk_secret");
      const elsewhere = new URL("/somewhere", server.url.origin).href;
      await using other = await openWorkrail({ env: { WORKRAIL_STORE: elsewhere, WORKRAIL_STORE_TOKEN: tokens["all"] } });
      await expect(other.listSessions()).rejects.toMatchObject({ code: "UNSUPPORTED_VERSION" });
    });

    it("loses and duplicates no save when the node is killed repeatedly", async () => {
      const port = await freePort();
      const start = (): Promise<HttpFixture> =>
        HttpFixture.start({ program: programAt(port), env: { WORKRAIL_DATA_DIR: join(home.directory, "killed") } });
      let node = await start();
      const env = { WORKRAIL_STORE: node.url.origin, WORKRAIL_STORE_TOKEN: tokens["all"] };
      await using store = await openWorkrail({ env, project });
      const killed = { isOver: false };
      const failures: unknown[] = [];
      const killing = async (): Promise<void> => {
        for (let kill = 0; kill < 2; kill++) {
          await pause(300);
          node.kill("SIGKILL");
          await node.exit();
          node = await start();
        }
        killed.isOver = true;
      };
      const kills = killing();
      const acknowledged: { readonly id: string; readonly step: number }[] = [];
      for (let step = 0; !killed.isOver || step < 20;) {
        try {
          const { checkpointId: id } = await store.saveCheckpoint({ sessionId: "killed", context: { step } });
          acknowledged.push({ id, step });
          step += 1;
        } catch (error) {
          // The node was down for longer than the library retries: save this step again.
          failures.push(error);
        }
      }
      await kills;
      expect(failures.every((error) => isWorkrailError(error) && error.code === "STORAGE_UNAVAILABLE")).toBe(true);
      const texts = await store.loadTexts({ ids: acknowledged.map(({ id }) => id).slice(-100) });
      expect(texts.checkpoints.map(({ text }) => text)).toEqual(acknowledged.slice(-100).map(({ step }) => JSON.stringify({ step })));
      expect((await store.findCheckpoints({ sessionId: "killed" })).total).toBe(Math.min(100, acknowledged.length));
      await node[Symbol.asyncDispose]();
    });

    it("accepts the offline saves of two laptops in order, and reports forks, although answers are lost", async () => {
      await using proxy = await openLossyProxy(server.url, 0);
      await using all = await open("all");
      await all.saveCheckpoint({ sessionId: "team", checkpointId: "base", context: { step: 0 } });
      const exported = await all.exportSession("team", { file: join(home.directory, "team.json") });
      const laptops = ["one", "two"].map((name) => join(home.directory, name));
      for (const dataDir of laptops) {
        await using laptop = await openWorkrail({ env: {}, dataDir, project });
        await laptop.importFile(exported.file);
        for (let step = 1; step <= 60; step++) {
          const checkpointId = `${basename(dataDir)}-${step}`;
          await laptop.saveCheckpoint({ sessionId: "team", checkpointId, context: { by: basename(dataDir), step }, retention: "all" });
        }
        await laptop.markCritical({ sessionId: "team", contextKey: "step" });
      }
      const push = (from: string | undefined, token = "writer") =>
        syncStore({ from, to: proxy.url, env: { WORKRAIL_STORE_TOKEN: tokens[token] } });
      const [one, two] = laptops;
      await expect(push(one, "reader")).rejects.toMatchObject({ code: "READ_ONLY", details: { scope: "write" } });
      await expect(push(one, "confined")).rejects.toMatchObject({
        code: "INVALID_INPUT",
        message: expect.stringContaining("a sync needs the whole store") as string,
        details: { field: "projects" },
      });
      expect(await push(one)).toMatchObject({ to: proxy.url, pushed: 60, present: 1, forks: [], refused: [], isComplete: true });
      proxy.loseNext(2, "takePushed");
      const fork = { sessionId: "team", checkpointId: "two-1", parentId: "base", head: "one-60" };
      expect(await push(two)).toMatchObject({ forks: [fork], refused: [], renamed: [] });
      expect(proxy.lost).toBe(2);
      for (const laptop of laptops) expect(await push(laptop)).toMatchObject({ pushed: 0, present: 61, forks: [] });
      const steps = (name: string): unknown[] => Array.from({ length: 60 }, (_, index) => ({ by: name, step: index + 1 }));
      const { checkpoints } = await all.traceSession({ sessionId: "team" });
      const { checkpoints: texts } = await all.loadTexts({ ids: checkpoints.map(({ id }) => id) });
      expect(texts.map(({ text }): unknown => JSON.parse(text)).toReversed()).toEqual([{ step: 0 }, ...steps("one"), ...steps("two")]);
      expect(await all.findCheckpoints({ sessionId: "team" })).toMatchObject({ session: { retention: "all", criticalKeys: ["step"] } });
      const { entries } = await all.auditLog({ sessionId: "team", actions: ["save"], limit: 200 });
      expect(entries.filter(({ subject }) => subject === "writer")).toHaveLength(120);
      expect((await all.verifyAuditLog()).findingCount).toBe(0);
    });
  });

  it("replaces a future time of a pushed checkpoint, and refuses a context beyond its limits", async () => {
    await using writer = await open("writer");
    const id = "c0ffee11-0000-4000-8000-0000000000aa";
    const far = new Date("2999-01-01T00:00:00Z");
    const pushed = {
      id,
      sessionId: "pushed",
      kind: "workflow",
      createdAt: far,
      parentId: null,
      shieldedUntil: far,
      layers: { CRITICAL: -1 },
    };
    const before = Date.now();
    expect(await writer.takePushed({ checkpoints: [{ ...pushed, context: { a: 1 } }] })).toEqual({
      outcomes: [{ status: "taken", checkpointId: id }],
    });
    const { metadata } = await writer.loadCheckpoint({ checkpointId: id });
    expect(Date.parse(metadata.createdAt)).toBeLessThan(before + 60_000);
    expect(metadata.layers).not.toEqual({ CRITICAL: -1 });
    const deep = JSON.parse(`${"[".repeat(300)}${"]".repeat(300)}`) as unknown;
    const checkpoints = [{ deep }, { b: 2 }].map((context, index) => ({ ...pushed, id: `${id.slice(0, -1)}${index}`, context }));
    expect(await writer.takePushed({ checkpoints })).toMatchObject({
      outcomes: [{ status: "refused", error: { code: expect.any(String) as string } }, { status: "waiting" }],
    });
    await expect(writer.takePushed({ checkpoints: [{ ...pushed, createdAt: "now" as never, context: {} }] })).rejects.toMatchObject({
      code: "INVALID_INPUT",
    });
  });

  it.each([
    ["https://user:word@node.example", {}, "store"],
    ["http://node.example", {}, "store"],
    ["https://node.example", { WORKRAIL_TENANT: "a" }, "tenant"],
  ])("refuses the address %s", async (address, more, field) => {
    await expect(openWorkrail({ env: { WORKRAIL_STORE: address, ...more } })).rejects.toMatchObject({
      code: "INVALID_INPUT",
      details: { field },
    });
  });

  it.each([
    ["another version", { version: 99, args: [] }, "UNSUPPORTED_VERSION"],
    ["no arguments", { version: 1 }, "INVALID_INPUT"],
    ["an invalid project", { version: 1, args: [], place: { project: 7 } }, "INVALID_INPUT"],
    ["an unknown kind of value", { version: 1, args: [{ $: ["file", "/etc/passwd"] }] }, "INVALID_INPUT"],
  ])("refuses a call with %s", async (_, body, code) => {
    const headers = { "content-type": "application/json", authorization: `Bearer ${tokens["all"]}` };
    const response = await fetch(new URL("/library/listSessions", server.url), { method: "POST", headers, body: JSON.stringify(body) });
    expect(JSON.parse(await response.text())).toMatchObject({ error: { $: ["error", { code }] } });
  });

  it.each(["backup", "exportSession", "storeConversation", "asCaller", "close", "constructor", "__proto__"])(
    "does not offer %s",
    async (name) => {
      const headers = { "content-type": "application/json", authorization: `Bearer ${tokens["all"]}` };
      const response = await fetch(new URL(`/library/${name}`, server.url), {
        method: "POST",
        headers,
        body: '{"version":1,"args":["/tmp"]}',
      });
      expect(response.status).toBe(404);
    },
  );
});

type Call = readonly [name: string, ...args: readonly unknown[]];

const noGit = spawnSync("git", ["--version"]).status !== 0;

function git(directory: string, ...args: readonly string[]): void {
  execFileSync("git", ["-c", "user.name=A", "-c", "user.email=a@example.com", ...args], { cwd: directory, stdio: "ignore" });
}

function commitAll(directory: string): void {
  git(directory, "add", "-A");
  git(directory, "commit", "-q", "-m", "change");
}

/** Makes outcomes comparable: turns errors into data, and leaves out times that differ between calls. */
function plain(outcome: unknown): { readonly outcome: unknown } {
  const text = (value: unknown): string =>
    JSON.stringify(value, (key, each: unknown) => {
      if (["lastAccessedAt", "exportedAt", "validUntil"].includes(key)) return undefined;
      if (each instanceof Map) return [...each];
      return isWorkrailError(each) ? { code: each.code, message: each.message, details: each.details, hint: each.hint } : each;
    });
  const told =
    Array.isArray(outcome) && outcome.length > 0 && outcome.every((piece) => typeof piece === "string")
      ? JSON.parse(outcome.join(""))
      : outcome;
  return { outcome: JSON.parse(text(told) ?? "null") };
}

async function allOf<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

interface LossyProxy extends AsyncDisposable {
  readonly url: string;
  /** Number of lost answers. */
  readonly lost: number;
  /** @param operation loses only answers of this operation. Default: of any. */
  loseNext(count: number, operation?: string): void;
}

/** Starts a proxy that forwards requests to a node, and closes the connection instead of sending the first `count` answers. */
async function openLossyProxy(target: URL, count: number): Promise<LossyProxy> {
  let [toLose, lost, only] = [count, 0, ""];
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = Buffer.concat(await allOf(request as AsyncIterable<Buffer>));
    const { authorization = "" } = request.headers;
    const headers = { "content-type": "application/json", authorization };
    const from = await fetch(new URL(request.url ?? "", target), { method: "POST", headers, body });
    const text = await from.text();
    if (toLose === 0 || request.url?.endsWith(only) === false)
      return void response.writeHead(from.status, Object.fromEntries(from.headers)).end(text);
    toLose -= 1;
    lost += 1;
    response.destroy();
  };
  const proxy = createServer((request, response) => void answer(request, response));
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  return {
    url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    get lost() {
      return lost;
    },
    loseNext(more, operation = "") {
      [toLose, only] = [more, operation];
    },
    async [Symbol.asyncDispose]() {
      proxy.closeAllConnections();
      proxy.close();
    },
  };
}
