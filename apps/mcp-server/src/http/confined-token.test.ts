import { cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { openWorkrail, type Workrail } from "@workrail/runtime";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Attack, attackOf, type Attempt } from "../testing/attack-of.ts";
import { bundleServer } from "../testing/bundle.ts";
import { HttpFixture, messageIn } from "../testing/http-fixture.ts";
import { TestHome } from "../testing/server-process.ts";
import { createToken } from "./token-file.ts";

const ATTEMPTS = 500;

/** Work of the token's own project, and of another one that it must not notice. */
const OWN = ["c0ffee01-0000-4000-8000-000000000001", "c0ffee02-0000-4000-8000-000000000002"] as const;
const OTHERS = [
  "c0ffee11-0000-4000-8000-000000000011",
  "c0ffee01-0000-4000-8000-000000000012",
  "deadbeef-0000-4000-8000-000000000013",
] as const;

/**
 * Two stores with the same work of one project. One of them also has the work of another. A token for the first project must get the same
 * answers from both.
 */
describe("a token with a list of projects", () => {
  let home: TestHome;
  let own: string;
  let other: string;
  let servers: readonly HttpFixture[];
  const tokens: Record<string, string> = {};

  beforeAll(async () => {
    home = await TestHome.create();
    [own, other] = [join(home.directory, "harbour"), join(home.directory, "quokka")] as [string, string];
    for (const directory of [own, other]) mkdirSync(directory);
    const [shared, alone] = [join(home.directory, "shared"), join(home.directory, "alone")] as [string, string];
    await using first = await openWorkrail({ env: {}, dataDir: shared, project: own });
    await saveOwn(first);
    await first.close();
    cpSync(shared, alone, { recursive: true });
    await using second = await openWorkrail({ env: {}, dataDir: shared, project: other });
    await saveOthers(second);
    await second.close();
    const tokenFile = join(home.directory, "tokens.json");
    const scopes = ["read", "write", "admin"] as const;
    tokens["own"] = createToken(tokenFile, { name: "own", scopes, projects: [own], days: 1 });
    tokens["both"] = createToken(tokenFile, { name: "both", scopes, projects: [own, other], days: 1 });
    tokens["all"] = createToken(tokenFile, { name: "all", scopes, days: 1 });
    const program = {
      command: process.execPath,
      args: [join(await bundleServer(), "workrail-mcp.mjs"), "--http", "0", "--http-token-file", tokenFile, "--http-rate-limit", "0"],
      cwd: home.project,
    };
    servers = await Promise.all(
      [shared, alone].map((dataDir) => {
        return HttpFixture.start({ program, env: { WORKRAIL_DATA_DIR: dataDir, RATE_LIMIT_CHECKPOINT_SAVE: "0" } });
      }),
    );
  });

  afterAll(async () => {
    await Promise.all(servers.map((server) => server[Symbol.asyncDispose]()));
    await home[Symbol.asyncDispose]();
  });

  async function saveOwn(workrail: Workrail): Promise<void> {
    const [one, two] = OWN;
    const labels = { metadata: { name: "harbour plan", tags: ["harbour"] }, agentId: "agent-own", phase: "plan" };
    await workrail.saveCheckpoint({
      sessionId: "login-own",
      checkpointId: one,
      context: { goal: "harbour budget", steps: ["a", "b"] },
      ...labels,
    });
    await workrail.saveCheckpoint({
      sessionId: "login-own",
      checkpointId: two,
      context: { goal: "harbour budget", steps: ["a", "b", "c"] },
    });
    await workrail.saveCheckpoint({ workflowId: "own-flow", context: { goal: "unload the harbour" } });
    await workrail.projectCheckpoints.create({ summary: "harbour note", description: "about the budget", projectPath: own });
  }

  async function saveOthers(workrail: Workrail): Promise<void> {
    const [one, two, three] = OTHERS;
    const labels = { metadata: { name: "quokka plan", tags: ["quokka"] }, agentId: "quokka", phase: "quokka" };
    await workrail.saveCheckpoint({ sessionId: "login-other", checkpointId: one, context: { goal: "quokka harbour budget" }, ...labels });
    await workrail.saveCheckpoint({
      sessionId: "login-other",
      checkpointId: two,
      context: { goal: "quokka harbour", more: "quokka ".repeat(50) },
    });
    await workrail.saveCheckpoint({ sessionId: "quokka-session", checkpointId: three, context: { goal: "quokka secret harbour" } });
    await workrail.saveCheckpoint({ workflowId: "quokka", context: { goal: "derived" } });
    for (let count = 0; count < 5; count++) {
      await workrail.projectCheckpoints.create({ summary: `quokka note ${count}`, description: "harbour budget", projectPath: other });
    }
    await workrail.compressContext({ context: { goal: "the same aside" }, budgetTokens: 20 });
    await workrail.compressContext({ sessionId: "login-other", context: { attacked: "x".repeat(300) }, budgetTokens: 20 });
    await workrail.erase({ checkpointIds: [(await workrail.saveCheckpoint({ context: { gone: 1 } })).checkpointId] });
  }

  function attack(): Attack {
    return attackOf({
      checkpoints: [
        ...OTHERS,
        "00000000-0000-4000-8000-000000000000",
        "c0ffee",
        "c0ffee11",
        "deadbee",
        "c0ffee01-0000-4000-8000-00000000001",
        OWN[1],
        "latest",
        "latest~3",
      ],
      sessions: ["login-other", "login-othe", "quokka-session", "login", "never-saved", "asides", "login-own"],
      projects: [other, join(other, "."), join(home.directory, "missing"), own],
      words: ["quokka", "quokk", "qoukka", "quokka plan", "neverword", "harbour", "derived"],
    });
  }

  async function ask(server: HttpFixture, token: string, attempt: Attempt): Promise<string> {
    const response = await server.post({ jsonrpc: "2.0", id: 1, ...attempt }, { authorization: `Bearer ${tokens[token]}` });
    return JSON.stringify(await messageIn(response));
  }

  it("gets the same answers whether the work of others exists or not, however it asks", async () => {
    const { looking, loading, changing } = attack();
    const attempts = [...looking, ...loading, ...changing];
    expect(attempts.length).toBeGreaterThanOrEqual(ATTEMPTS);
    const different: object[] = [];
    for (const attempt of attempts) {
      const [shared = "", alone = ""] = (await Promise.all(servers.map((server) => ask(server, "own", attempt)))).map(plain);
      if (shared !== alone || shared === "") different.push({ attempt, shared, alone });
    }
    expect(different).toEqual([]);
  });

  it("saves to its first project, and reads and deletes in each", async () => {
    const [shared] = servers as readonly [HttpFixture];
    const both = async (name: string, given: object): Promise<string> => {
      return ask(shared, "both", { method: "tools/call", params: { name, arguments: given } });
    };
    const saved = await both("workflow_checkpoint_save", { context: { goal: "saved with both" } });
    const [, id = ""] = /checkpointId\\":\\"([^\\"]+)/u.exec(saved) ?? [];
    expect(await both("checkpoint_get", { id })).toContain(JSON.stringify(JSON.stringify(own)).slice(1, -1));
    expect(await both("checkpoint_get", { id: OTHERS[2] })).toContain("quokka secret");
    expect(await both("checkpoint_list", { project_path: other })).toContain("quokka note 4");
    expect(await both("checkpoint_save", { project_path: other, summary: "from both" })).toContain("from both");
    expect(await both("checkpoint_delete", { id: OTHERS[2] })).toContain("deleted");
    expect(await both("store_session", { conversation: "User: hello" })).toContain(join(own, ".codearchitect"));
    expect(await ask(shared, "own", { method: "tools/call", params: { name: "checkpoint_get", arguments: { id } } })).toContain(
      "saved with both",
    );
  });

  it("would get other answers without the list", async () => {
    const [shared] = servers;
    const answers = await Promise.all(
      attack()
        .looking.slice(0, 40)
        .map((attempt) => ask(shared as HttpFixture, "all", attempt)),
    );
    expect(answers.filter((answer) => answer.includes("quokka note")).length).toBeGreaterThan(10);
  });
});

/** An answer without what differs between two runs: times, new ids and compressed sizes. */
function plain(answer: string): string {
  return answer
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/gu, "<time>")
    .replaceAll(/(?!c0ffee|deadbeef|00000000)[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gu, "<id>")
    .replaceAll(/(\\*"(?:total)?[sS]izeBytes\\*":)\d+/gu, "$1<size>");
}
