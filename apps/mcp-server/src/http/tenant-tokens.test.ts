import { join } from "node:path";
import process from "node:process";
import { createTeamDatabase, noPostgres, type PostgresServer, startPostgres } from "@workrail/faults";
import { migrateStore, openWorkrail, type Workrail } from "@workrail/runtime";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Attack, attackOf, type Attempt } from "../testing/attack-of.ts";
import { bundleServer } from "../testing/bundle.ts";
import { HttpFixture, messageIn } from "../testing/http-fixture.ts";
import { LIST, noticingNew } from "../testing/noticing-client.ts";
import { TestHome } from "../testing/server-process.ts";
import { createToken } from "./token-file.ts";

const ATTEMPTS = 500;
const [OWN, OTHER] = ["harbour", "quokka"] as const;
const OWN_ID = "c0ffee01-0000-4000-8000-000000000001";
const OTHER_IDS = ["c0ffee11-0000-4000-8000-000000000011", "deadbeef-0000-4000-8000-000000000013"] as const;

const missing = noPostgres();

/**
 * Two databases with the same work of one tenant. One of them also has the work of another. A token for the first tenant must get the same
 * answers from both.
 */
describe.skipIf(missing !== undefined)(`a token with a tenant${missing === undefined ? "" : `: not run, ${missing}`}`, () => {
  let home: TestHome;
  let database: PostgresServer;
  let shared: HttpFixture;
  let alone: HttpFixture;
  let sharedUrl: string;
  const tokens: Record<string, string> = {};

  beforeAll(async () => {
    home = await TestHome.create();
    database = await startPostgres({ isDurable: false });
    const team = await createTeamDatabase(database);
    await database.createDatabase("alone");
    const aloneUrl = database.url("alone");
    sharedUrl = team.user;
    for (const store of [team.owner, aloneUrl]) await migrateStore({ store });
    for (const store of [sharedUrl, aloneUrl]) await as(store, OWN, saveOwn);
    await as(sharedUrl, OTHER, saveOthers);
    await as(sharedUrl, "default", async (workrail) => {
      await workrail.saveCheckpoint({ sessionId: "servers", context: { goal: "work of the server's own tenant" } });
    });
    const tokenFile = join(home.directory, "tokens.json");
    const scopes = ["read", "write", "admin"] as const;
    for (const tenant of [OWN, OTHER]) tokens[tenant] = createToken(tokenFile, { name: tenant, scopes, tenant, days: 1 });
    tokens["default"] = createToken(tokenFile, { name: "none", scopes, days: 1 });
    const program = {
      command: process.execPath,
      args: [join(await bundleServer(), "workrail-mcp.mjs"), "--http", "0", "--http-token-file", tokenFile, "--http-rate-limit", "0"],
      cwd: home.project,
    };
    const start = (store: string): Promise<HttpFixture> => {
      const env = { WORKRAIL_DATA_DIR: home.dataDir, WORKRAIL_STORE: store, RATE_LIMIT_CHECKPOINT_SAVE: "0" };
      return HttpFixture.start({ program, env });
    };
    [shared, alone] = await Promise.all([start(sharedUrl), start(aloneUrl)]);
  });
  afterAll(async () => {
    for (const server of [shared, alone]) await server?.[Symbol.asyncDispose]();
    await database?.destroy();
    await home[Symbol.asyncDispose]();
  });

  async function as(store: string, tenant: string, work: (workrail: Workrail) => Promise<void>): Promise<void> {
    const env = { WORKRAIL_DATA_DIR: home.dataDir };
    await using workrail = await openWorkrail({ env, store, settings: { tenant }, project: home.project, upkeep: false });
    await work(workrail);
  }

  async function saveOwn(workrail: Workrail): Promise<void> {
    const labels = { metadata: { name: "harbour plan", tags: ["harbour"] }, agentId: "agent-own", phase: "plan" };
    const context = { goal: "harbour budget", steps: ["a", "b"] };
    await workrail.saveCheckpoint({ sessionId: "login-own", checkpointId: OWN_ID, context, ...labels });
    await workrail.projectCheckpoints.create({ summary: "harbour note", description: "about the budget", projectPath: home.project });
  }

  async function saveOthers(workrail: Workrail): Promise<void> {
    const labels = { metadata: { name: "quokka plan", tags: ["quokka"] }, agentId: "quokka", phase: "quokka" };
    const [one, two] = OTHER_IDS;
    await workrail.saveCheckpoint({ sessionId: "login-other", checkpointId: one, context: { goal: "quokka harbour budget" }, ...labels });
    await workrail.saveCheckpoint({ sessionId: "quokka-session", checkpointId: two, context: { goal: "quokka secret harbour" } });
    await workrail.saveCheckpoint({ workflowId: "quokka", context: { goal: "derived" } });
    for (let count = 0; count < 5; count++) {
      await workrail.projectCheckpoints.create({ summary: `quokka note ${count}`, description: "harbour", projectPath: home.project });
    }
    await workrail.compressContext({ context: { goal: "the same aside" }, budgetTokens: 20 });
  }

  function attack(): Attack {
    return attackOf({
      checkpoints: [...OTHER_IDS, "00000000-0000-4000-8000-000000000000", "c0ffee11", "deadbee", "c0ffee01-0000", OWN_ID, "latest~3"],
      sessions: ["login-other", "login-othe", "quokka-session", "servers", "never-saved", "asides", "login-own"],
      projects: [home.project, join(home.directory, "missing")],
      words: ["quokka", "quokk", "quokka plan", "neverword", "harbour", "derived", "servers"],
    });
  }

  async function ask(server: HttpFixture, token: string, attempt: Attempt): Promise<string> {
    const response = await server.post({ jsonrpc: "2.0", id: 1, ...attempt }, { authorization: `Bearer ${tokens[token]}` });
    return JSON.stringify(await messageIn(response));
  }

  async function isIndexed(server: HttpFixture): Promise<boolean> {
    const answer = await ask(server, OWN, { method: "tools/call", params: { name: "checkpoint_search", arguments: { query: "harbour" } } });
    return !answer.includes("index_pending");
  }

  const call = (token: string, name: string, given: object): Promise<string> =>
    ask(shared, token, { method: "tools/call", params: { name, arguments: given } });

  it("gets the same answers whether there is another tenant or not, however it asks", async () => {
    const { looking, loading, changing } = attack();
    const attempts = [...looking, ...loading, ...changing];
    expect(attempts.length).toBeGreaterThanOrEqual(ATTEMPTS);
    // Answers of a search say how much is not indexed yet.
    for (const server of [shared, alone]) await expect.poll(() => isIndexed(server), { timeout: 60_000 }).toBe(true);
    const different: object[] = [];
    const compare = async (attempt: Attempt): Promise<void> => {
      const [one = "", other = ""] = (await Promise.all([shared, alone].map((server) => ask(server, OWN, attempt)))).map(plain);
      if (one !== other || one === "") different.push({ attempt, one, other });
    };
    // Looking changes nothing, so its order does not count.
    for (let at = 0; at < looking.length; at += 8) await Promise.all(looking.slice(at, at + 8).map(compare));
    for (const attempt of [...loading, ...changing]) await compare(attempt);
    expect(different).toEqual([]);
  });

  it("does not change the data of the other tenant", async () => {
    for (const [index, goal] of ["quokka harbour budget", "quokka secret harbour"].entries()) {
      expect(await call(OTHER, "checkpoint_get", { id: OTHER_IDS[index] })).toContain(goal);
      expect(await call("default", "checkpoint_get", { id: OTHER_IDS[index] })).not.toContain(goal);
    }
    expect(await call("default", "workflow_checkpoint_load", { sessionId: "servers" })).toContain("the server's own tenant");
    await as(sharedUrl, OTHER, async (workrail) => {
      expect((await workrail.listCheckpoints({ sessionId: "login-other" })).map(({ id }) => id)).toEqual([OTHER_IDS[0]]);
    });
  });

  it("gets no notice of a change of another tenant", async () => {
    const latest = "workrail://sessions/login-other/latest";
    const client = await noticingNew({ url: shared.url, token: String(tokens[OWN]) });
    try {
      await client.subscribe([latest, "workrail://status", LIST]);
      expect(await call(OTHER, "workflow_checkpoint_save", { sessionId: "login-other", context: { step: 2 } })).toContain("checkpointId");
      expect(await call(OTHER, "workflow_checkpoint_save", { sessionId: "quokka-new", context: { step: 1 } })).toContain("checkpointId");
      expect(await call("default", "workflow_checkpoint_save", { sessionId: "servers", context: { step: 2 } })).toContain("checkpointId");
      await client.subscribe(["workrail://sessions/own-new/latest"]);
      expect(await call(OWN, "workflow_checkpoint_save", { sessionId: "own-new", context: { step: 1 } })).toContain("checkpointId");
      await client.told("workrail://sessions/own-new/latest", "workrail://status", LIST);
      expect(client.taken()).toEqual([]);
    } finally {
      await client.close();
    }
  });

  it("is named in the audit log of its tenant", async () => {
    const sessionId = "audited";
    expect(await call(OWN, "workflow_checkpoint_save", { sessionId, context: { step: 1 }, agentId: "somebody" })).toContain("checkpointId");
    expect(await call(OWN, "workflow_mark_critical", { sessionId, contextKey: "step" })).not.toContain("isError");
    await as(sharedUrl, OWN, async (workrail) => {
      const { entries } = await workrail.auditLog({ sessionId, actions: ["save", "pin"] });
      expect(entries.map(({ action, subject }) => [action, subject])).toEqual([
        ["pin", OWN],
        ["save", OWN],
      ]);
      expect((await workrail.verifyAuditLog()).findings).toEqual([]);
    });
  });

  it("is refused where there is no database", async () => {
    const tokenFile = join(home.directory, "tokens.json");
    const args = [join(await bundleServer(), "workrail-mcp.mjs"), "--http", "0", "--http-token-file", tokenFile];
    const program = { command: process.execPath, args, cwd: home.project };
    await using plain = await HttpFixture.start({ program, env: { WORKRAIL_DATA_DIR: home.dataDir, WORKRAIL_STORE: "" } });
    const answer = await ask(plain, OWN, { method: "tools/call", params: { name: "workflow_checkpoint_list", arguments: {} } });
    expect(answer).toContain("INVALID_INPUT: A tenant is set without a database.");
  });
});

/** An answer without what differs between two runs: times, new ids, places that are derived from these, and compressed sizes. */
function plain(answer: string): string {
  return answer
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/gu, "<time>")
    .replaceAll(/(?!c0ffee|deadbeef|00000000)[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gu, "<id>")
    .replaceAll(/(\\*"(?:(?:total|context)?[sS]ize|live|used)Bytes\\*":)\d+/gu, "$1<size>")
    .replaceAll(/(\\*"blobPath\\*":\\*")[0-9a-f]+/gu, "$1<path>");
}
