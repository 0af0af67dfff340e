import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { isWorkrailError } from "@workrail/core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { CreateProjectCheckpoint, ProjectCheckpoints, SearchProjectCheckpoints } from "../src/index.ts";
import type { Workrail } from "../src/workrail.ts";
import { KINDS, onDisk, type Place, readAudit, refusalOf } from "./stores.ts";

const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

let shop: string;
let blog: string;

beforeAll(() => {
  shop = fs.mkdtempSync(path.join(os.tmpdir(), "workrail-shop-"));
  blog = fs.mkdtempSync(path.join(os.tmpdir(), "workrail-blog-"));
});

afterAll(() => {
  for (const directory of [shop, blog]) fs.rmSync(directory, { recursive: true, force: true });
});

function note(summary: string, more: Partial<CreateProjectCheckpoint> = {}): CreateProjectCheckpoint {
  return { summary, projectPath: shop, ...more };
}

async function summariesOf(list: ReturnType<ProjectCheckpoints["list"]>): Promise<readonly string[]> {
  return (await list).checkpoints.map(({ summary }) => summary);
}

describe.each(KINDS)("project checkpoints in a store of the kind $kind", ({ at }) => {
  it("are returned unchanged, with the store's own fields", () =>
    at(async (place: Place) => {
      await using workrail = await place.open();
      const service = workrail.projectCheckpoints;
      const context = { branch: "feature/auth", commit: "abc123", tries: 2, isDone: false, reviewer: null };
      const created = await service.create(
        note("Implemented user authentication", { description: "JWT.", context, tags: ["auth", "security"] }),
      );
      const { durability, ...checkpoint } = created;
      expect(checkpoint).toEqual({
        id: expect.stringMatching(UUID_V4),
        summary: "Implemented user authentication",
        description: "JWT.",
        projectPath: shop,
        context,
        tags: ["auth", "security"],
        tokenCount: expect.any(Number),
        createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
        updatedAt: created.createdAt,
      });
      expect(durability).toBe(workrail.durability);
      expect(await service.getById(created.id)).toEqual(checkpoint);
      expect((await service.list()).checkpoints).toEqual([checkpoint]);
    }));

  it("are stored as they were at the call, whatever the caller changes later", () =>
    at(async (place) => {
      await using workrail = await place.open();
      const tags = ["auth"];
      const context = { branch: "auth" };
      const creating = workrail.projectCheckpoints.create(note("Login done", { tags, context }));
      tags[0] = context.branch = "other";
      expect(await creating).toMatchObject({ tags: ["auth"], context: { branch: "auth" } });
      expect((await workrail.projectCheckpoints.list()).checkpoints).toMatchObject([{ tags: ["auth"], context: { branch: "auth" } }]);
    }));

  it("are always new, and are not pruned by number", () =>
    at(async (place) => {
      await using workrail = await place.open({ limits: { maxCheckpoints: 3 } });
      const ids = new Set<string>();
      for (let index = 0; index < 8; index++) ids.add((await workrail.projectCheckpoints.create(note("the same"))).id);
      expect(ids.size).toBe(8);
      expect((await workrail.projectCheckpoints.list()).total).toBe(8);
    }));

  it("are listed newest first, 10 by default, from an offset, for one project or for all with the own first", () =>
    at(async (place) => {
      await using workrail = await place.open({ project: shop });
      const service = workrail.projectCheckpoints;
      for (let index = 0; index < 7; index++) await service.create(note(`shop ${index}`));
      for (let index = 0; index < 5; index++) await service.create(note(`blog ${index}`, { projectPath: blog }));
      const shops = ["shop 6", "shop 5", "shop 4", "shop 3", "shop 2", "shop 1", "shop 0"];
      const blogs = ["blog 4", "blog 3", "blog 2", "blog 1", "blog 0"];
      const first = await service.list();
      expect(first).toMatchObject({ total: 12, limit: 10, offset: 0 });
      expect(first.checkpoints.map(({ summary }) => summary)).toEqual([...shops, ...blogs.slice(0, 3)]);
      expect(first.checkpoints.map(({ projectPath }) => projectPath)).toEqual([...shops.map(() => shop), blog, blog, blog]);
      expect(await summariesOf(service.list({ offset: 5, limit: 4 }))).toEqual(["shop 1", "shop 0", "blog 4", "blog 3"]);
      expect(await summariesOf(service.list({ offset: 10 }))).toEqual(["blog 1", "blog 0"]);
      expect(await service.list({ offset: 3, limit: 2 })).toMatchObject({ total: 12, limit: 2, offset: 3 });
      expect(await service.list({ offset: 12 })).toMatchObject({ total: 12, checkpoints: [] });
      expect(await summariesOf(service.list({ projectPath: `${blog}${path.sep}`, sortBy: "updatedAt" }))).toEqual(blogs);
      expect((await service.list({ projectPath: blog })).total).toBe(5);
      expect(await service.list({ projectPath: path.join(blog, "none") })).toMatchObject({ total: 0, checkpoints: [] });
    }));

  it("are found by the workflow tools, and find checkpoints of those", () =>
    at(async (place) => {
      await using workrail = await place.open({ project: shop });
      const { id } = await workrail.projectCheckpoints.create(
        note("Login done", { context: { branch: "auth" }, tags: ["auth"], agentId: "ada" }),
      );
      const listed = await workrail.findCheckpoints({ tags: ["auth"], name: "login", query: "branch", kind: "project", agentId: "ada" });
      expect(listed.checkpoints).toMatchObject([
        { id, name: "Login done", project: shop, tags: ["auth"], attributes: { context: { branch: "auth" } } },
      ]);
      expect((await workrail.viewCheckpoint({ checkpointId: id })).context).toEqual({ summary: "Login done", context: { branch: "auth" } });

      const saved = await workrail.saveCheckpoint({
        sessionId: "work",
        workflowId: "fix",
        context: { goal: "Fix the cart", steps: [1, 2] },
        metadata: { tags: ["cart"], attributes: { ticket: "T-7", details: { deep: true } } },
      });
      const [newest] = (await workrail.projectCheckpoints.list({ limit: 1 })).checkpoints;
      expect(newest).toEqual({
        id: saved.checkpointId,
        summary: "Fix the cart",
        description: '{"goal":"Fix the cart","steps":[1,2]}',
        projectPath: shop,
        context: { sessionId: "work", workflowId: "fix", ticket: "T-7" },
        // `details` is nested, so it is left out.
        isContextCut: true,
        tags: ["cart"],
        tokenCount: expect.any(Number),
        createdAt: saved.createdAt,
        updatedAt: saved.createdAt,
        kind: "workflow",
      });
      expect(await workrail.projectCheckpoints.getById(saved.checkpointId)).toEqual(newest);
    }));

  it("are found by words, in one project or in all, the best first, and by tags, whichever tool saved them", () =>
    at(async (place) => {
      await using workrail = await place.open({ project: shop });
      const service = workrail.projectCheckpoints;
      const { id } = await service.create(note("Login done", { description: "With refresh tokens", tags: ["auth", "done"] }));
      await service.create(note("Tokens and tokens of tokens", { projectPath: blog, tags: ["auth"] }));
      await workrail.saveCheckpoint({ sessionId: "work", context: { goal: "Count the tokens" } });
      const all = await service.search({ query: "tokens" });
      expect(all).toMatchObject({ query: "tokens", topK: 5, durability: workrail.durability });
      expect(all.results.map(({ checkpoint }) => checkpoint.projectPath)).toEqual([blog, shop, shop]);
      expect(all.results.map(({ checkpoint }) => checkpoint.kind)).toContain("workflow");
      for (const { score, distance } of all.results) expect(score + distance).toBeCloseTo(1, 4);
      const [found, ...others] = (await service.search({ query: "tokens", tags: ["auth", "done"] })).results;
      expect(others).toEqual([]);
      expect(found?.checkpoint).toEqual(await service.getById(id));
      expect((await service.search({ query: "tokens", projectPath: blog, topK: 1 })).results).toHaveLength(1);
      expect((await service.search({ query: "nowhere" })).results).toEqual([]);
    }));

  it("do not affect the current session of the workflow tools", () =>
    at(async (place) => {
      await using workrail = await place.open({ project: shop });
      const { sessionId } = await workrail.saveCheckpoint({ context: { step: 1 } });
      const { id } = await workrail.projectCheckpoints.create(note("Beside it"));
      await workrail.projectCheckpoints.getById(id);
      await workrail.projectCheckpoints.list();
      expect(await workrail.saveCheckpoint({ context: { step: 2 } })).toMatchObject({ sessionId, sessionReason: "process" });
    }));

  it("are deleted for good, without the trash", () =>
    at(async (place) => {
      await using workrail = await place.open();
      const service = workrail.projectCheckpoints;
      const { id } = await service.create(note("To go", { tags: ["keep"] }));
      const { id: stays } = await service.create(note("To stay"));
      await service.delete(id, { agentId: "ada" });
      for (const call of [service.getById(id), service.delete(id), service.delete("none")]) {
        expect(await refusalOf(call)).toMatchObject({ code: "CHECKPOINT_NOT_FOUND" });
      }
      expect(await workrail.listTrash()).toEqual([]);
      expect((await service.list()).checkpoints.map((each) => each.id)).toEqual([stays]);
    }));

  it("can be deleted from the trash", () =>
    at(async (place) => {
      await using workrail = await place.open();
      const { checkpointId } = await workrail.saveCheckpoint({ sessionId: "s", context: { a: 1 } });
      await workrail.cleanUp({ sessionId: "s" });
      expect(await workrail.listTrash()).toHaveLength(1);
      await workrail.deleteCheckpoint({ checkpointId });
      expect(await workrail.listTrash()).toEqual([]);
    }));

  it("count the tokens of all their texts", () =>
    at(async (place) => {
      await using workrail = await place.open({ adapters: { tokens: countingWords } });
      const { id, tokenCount } = await workrail.projectCheckpoints.create(
        note("one two", { description: "three", context: { four: "five six" }, tags: ["seven"] }),
      );
      expect(tokenCount).toBe(7);
      expect((await workrail.projectCheckpoints.getById(id)).tokenCount).toBe(7);
    }));
});

describe("project checkpoints", () => {
  it.for<[string, object, string, string]>([
    ["a relative path", { projectPath: "shop" }, "projectPath", "projectPath must be an absolute path"],
    ["no path", { projectPath: undefined }, "projectPath", "projectPath must be an absolute path"],
    [
      "a path that does not exist",
      { projectPath: path.join(os.tmpdir(), "none", "here") },
      "projectPath",
      "projectPath must be a directory that exists",
    ],
    ["a path of a file", { projectPath: import.meta.filename }, "projectPath", "projectPath must be a directory that exists"],
    ["no summary", { summary: "" }, "summary", "summary must be 1-500 characters"],
    [
      "a context that is not flat",
      { context: { a: [] } },
      "context",
      "each value of context must be a text, a number, true, false or null",
    ],
  ])("are refused with %s", ([, more, field, rule]) =>
    onDisk(async (place) => {
      await using workrail = await place.open();
      const { code, details } = await refusalOf(workrail.projectCheckpoints.create({ ...note("s"), ...more }));
      expect({ code, details }).toEqual({ code: "INVALID_INPUT", details: { field, rule } });
    }),
  );

  it.each<[string, object, string]>([
    ["limit 0", { limit: 0 }, "limit"],
    ["limit 101", { limit: 101 }, "limit"],
    ["a negative offset", { offset: -1 }, "offset"],
    ["another order", { sortBy: "name" }, "sortBy"],
    ["a relative path", { projectPath: "shop" }, "projectPath"],
  ])("are not listed with %s", (_, given, field) =>
    onDisk(async (place) => {
      await using workrail = await place.open();
      expect((await refusalOf(workrail.projectCheckpoints.list(given))).details).toMatchObject({ field });
    }),
  );

  it.each<[string, object, string]>([
    ["no words", { query: " " }, "query"],
    ["too many words", { query: "x".repeat(10_001) }, "query"],
    ["top 0", { query: "a", topK: 0 }, "topK"],
    ["top 101", { query: "a", topK: 101 }, "topK"],
    ["an empty tag", { query: "a", tags: [""] }, "tags"],
    ["a relative path", { query: "a", projectPath: "shop" }, "projectPath"],
  ])("are not searched for %s", (_, given, field) =>
    onDisk(async (place) => {
      await using workrail = await place.open();
      const search = workrail.projectCheckpoints.search(given as SearchProjectCheckpoints);
      expect(await refusalOf(search)).toMatchObject({ code: "INVALID_INPUT", details: { field } });
    }),
  );

  it("of a project are in one session, the same for every process", () =>
    onDisk(async (place) => {
      const sessions: string[] = [];
      for (const projectPath of [shop, path.join(shop, "..", path.basename(shop))]) {
        await using workrail = await place.open();
        await workrail.projectCheckpoints.create({ summary: "s", projectPath });
        const [newest] = (await workrail.findCheckpoints({ limit: 1 })).checkpoints;
        sessions.push(newest?.sessionId ?? "");
      }
      expect(new Set(sessions).size).toBe(1);
    }));

  it("survive the loss of the catalog", () =>
    onDisk(async (place) => {
      let created;
      {
        await using workrail = await place.open();
        created = await workrail.projectCheckpoints.create(note("Kept", { description: "d", context: { a: 1 }, tags: ["t"] }));
      }
      place.loseCatalog();
      await using workrail = await place.open();
      const { durability: _where, ...checkpoint } = created;
      expect(await workrail.projectCheckpoints.getById(created.id)).toEqual(checkpoint);
    }));

  it("are listed when one is damaged, and that one is marked", () =>
    onDisk(async (place) => {
      await using workrail = await place.open();
      const { id } = await workrail.projectCheckpoints.create(note("Damaged", { description: "gone" }));
      await workrail.projectCheckpoints.create(note("Whole"));
      const blob = (await workrail.findCheckpoints({ name: "Damaged" })).checkpoints[0]?.blobPath ?? "";
      fs.writeFileSync(path.join(place.dataDir, blob), "not gzip");
      for (let look = 0; look < 2; look++) {
        const { checkpoints } = await workrail.projectCheckpoints.list();
        expect(checkpoints).toMatchObject([{ summary: "Whole" }, { id, summary: "Damaged", description: "", damaged: true }]);
      }
      expect(await refusalOf(workrail.projectCheckpoints.getById(id))).toMatchObject({ code: "CHECKPOINT_CORRUPT" });
    }));

  it("that are deleted leave a row in the audit log, and no file", () =>
    onDisk(async (place) => {
      let blob = "";
      {
        await using workrail = await place.open();
        const { id } = await workrail.projectCheckpoints.create(note("To go"));
        blob = (await workrail.findCheckpoints()).checkpoints[0]?.blobPath ?? "";
        expect(fs.existsSync(path.join(place.dataDir, blob))).toBe(true);
        await workrail.projectCheckpoints.delete(id);
      }
      expect(fs.existsSync(path.join(place.dataDir, blob))).toBe(false);
      // The last row concerns the session, of which nothing is left.
      expect(readAudit(place.dataDir).map(({ action }) => action)).toEqual(["save", "delete", "delete"]);
    }));

  it("do not count as loaded in a listing; a requested one does", () =>
    onDisk(async (place) => {
      {
        await using workrail = await place.open();
        const { id } = await workrail.projectCheckpoints.create(note("s"));
        await workrail.projectCheckpoints.list();
        await workrail.projectCheckpoints.getById(id);
      }
      expect(readAudit(place.dataDir).map(({ action }) => action)).toEqual(["save", "load"]);
    }));

  it("of other projects are returned only for a named project when projects are isolated", () =>
    onDisk(async (place) => {
      const env = { WORKRAIL_ISOLATION: "strict" };
      await using inShop = await place.open({ project: shop, env });
      await inShop.projectCheckpoints.create(note("mine"));
      await inShop.projectCheckpoints.create(note("walrus", { projectPath: blog }));
      expect(await inShop.projectCheckpoints.list()).toMatchObject({ total: 1, checkpoints: [{ summary: "mine" }] });
      expect(await summariesOf(inShop.projectCheckpoints.list({ projectPath: blog }))).toEqual(["walrus"]);
      expect((await inShop.projectCheckpoints.search({ query: "walrus" })).results).toEqual([]);
      expect((await inShop.projectCheckpoints.search({ query: "walrus", projectPath: blog })).results).toHaveLength(1);
      await using nowhere = await place.open({ env });
      expect((await refusalOf(nowhere.projectCheckpoints.list())).details).toMatchObject({ field: "projectPath" });
    }));

  it("are returned as they were stored when secrets are redacted", () =>
    onDisk(async (place) => {
      await using workrail = await place.open({ env: { WORKRAIL_SECRETS: "redact" } });
      const token = `ghp_aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3z5b`;
      const created = await workrail.projectCheckpoints.create(
        note("Rotated", { description: `The token is ${token} now`, context: { token } }),
      );
      expect(created.secrets).toMatchObject({ action: "redacted" });
      expect(JSON.stringify(created)).not.toContain(token);
      const { durability: _where, secrets: _found, ...checkpoint } = created;
      expect(await workrail.projectCheckpoints.getById(created.id)).toEqual(checkpoint);
    }));

  it("are healthy while the store can be read", () =>
    onDisk(async (place) => {
      const workrail = await place.open();
      expect(await workrail.projectCheckpoints.health()).toEqual({ durability: "disk" });
      await workrail.close();
      await using reader = await place.open({ readOnly: true });
      expect(await reader.projectCheckpoints.health()).toEqual({ durability: "disk", readOnly: true });
      expect(await refusalOf(workrail.projectCheckpoints.health())).toMatchObject({ code: "STORAGE_UNAVAILABLE" });
    }));
});

describe("the rate limit", () => {
  /** Returns how many of a burst of saves are admitted, and the error of the first that is not. */
  async function admitted(workrail: Workrail, count: number, more: Partial<CreateProjectCheckpoint>): Promise<readonly [number, unknown]> {
    for (let index = 0; index < count; index++) {
      try {
        await workrail.projectCheckpoints.create(note(`n ${index}`, { isRateLimited: true, ...more }));
      } catch (error) {
        if (isWorkrailError(error)) return [index, error];
        throw error;
      }
    }
    return [count, undefined];
  }

  it("accepts 20 in a row for each project, and then returns the time to wait", () =>
    onDisk(async (place) => {
      await using workrail = await place.open();
      const [count, refusal] = await admitted(workrail, 30, {});
      expect(count).toBeGreaterThanOrEqual(20);
      expect(count).toBeLessThan(25);
      expect(refusal).toMatchObject({
        code: "RATE_LIMITED",
        retryable: true,
        details: { perMinute: 10, burst: 20, retryAfterMs: expect.any(Number) },
      });
      expect(await admitted(workrail, 5, { projectPath: blog })).toEqual([5, undefined]);
      expect(await admitted(workrail, 5, { isRateLimited: false })).toEqual([5, undefined]);
    }));

  it.each(["RATE_LIMIT_CHECKPOINT_SAVE", "WORKRAIL_RATE_LIMIT_CHECKPOINT_SAVE"])("is set by %s", (name) =>
    onDisk(async (place) => {
      await using workrail = await place.open({ env: { [name]: "1" } });
      expect(await admitted(workrail, 4, {})).toMatchObject([2, { details: { perMinute: 1, burst: 2 } }]);
      await using quick = await place.open({ env: { [name]: "1000000" } });
      expect(await admitted(quick, 40, {})).toEqual([40, undefined]);
    }),
  );

  it.each(["RATE_LIMIT_CHECKPOINT_SAVE", "WORKRAIL_RATE_LIMIT_CHECKPOINT_SAVE"])("is off when %s is 0, and does not limit reads", (name) =>
    onDisk(async (place) => {
      await using workrail = await place.open({ env: { [name]: "0" } });
      expect(await admitted(workrail, 50, {})).toEqual([50, undefined]);
      expect(await workrail.projectCheckpoints.list()).toMatchObject({ total: 50 });
      expect((await workrail.projectCheckpoints.search({ query: "n" })).results.length).toBeGreaterThan(0);
    }),
  );

  it("does not count calls that are refused for another reason", () =>
    onDisk(async (place) => {
      await using workrail = await place.open({ env: { RATE_LIMIT_CHECKPOINT_SAVE: "1" } });
      for (let index = 0; index < 5; index++) {
        await refusalOf(workrail.projectCheckpoints.create(note("", { isRateLimited: true })));
      }
      expect(await admitted(workrail, 2, {})).toEqual([2, undefined]);
    }));
});

/** Counts words as tokens, so that a test can count them itself. */
const countingWords = {
  count: async (text: string) => words(text),
  load: async () => words,
};

function words(text: string): number {
  return text.split(/[^\p{L}]+/u).filter((word) => word !== "").length;
}
