import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { installProduct } from "./install-product.ts";
import { makeRepository } from "./make-repository.ts";
import { HOST_PROGRAMS } from "./programs/host-programs.ts";
import { hostBinary, hostEnvironment, type HostRun, runHost } from "./run-host.ts";
import { runInTerminal } from "./run-in-terminal.ts";
import { editing, type HostName, HOSTS, reading, running, saying, type Turn } from "./scenario.ts";
import { type ScriptedEndpoint, startScriptedEndpoint } from "./scripted-endpoint.ts";

const hostsFolder = process.env["WORKRAIL_HOSTS"] ?? "";
const ROOT = fileURLToPath(new URL("../../..", import.meta.url));

const GOAL = "Make total() in sum.py round to cents.";
const PROHIBITION = "Never touch legacy.py";
const LAST_STEP = "python3 check.py";
const PROMPT = `${GOAL} ${PROHIBITION}.`;
const FILES = {
  "sum.py": "def total(prices):\n    return sum(prices)\n",
  "check.py": "from sum import total\n\nassert total([0.1, 0.2]) == 0.3, total([0.1, 0.2])\n",
  "legacy.py": "RATE = 1\n",
};
const TURNS: readonly Turn[] = [
  reading("sum.py"),
  editing("sum.py", { old: "    return sum(prices)", new: "    return round(sum(prices), 20)" }, "I round."),
  running(LAST_STEP, "I run the check."),
];

/** Command of each host that lists its MCP servers, and its output when Workrail is one of them. */
const SERVERS: Readonly<Record<HostName, { readonly args: readonly string[]; readonly lists: RegExp }>> = {
  "claude-code": { args: ["mcp", "list"], lists: /workrail.*Connected/u },
  codex: { args: ["mcp", "list", "--json"], lists: /"name": "workrail"/u },
  gemini: { args: ["mcp", "list"], lists: /workrail.*Connected/u },
  opencode: { args: ["mcp", "list"], lists: /workrail.*connected/u },
};

describe.skipIf(hostsFolder === "")("Workrail on real hosts (set WORKRAIL_HOSTS to the folder that install-hosts.ts made)", () => {
  let programs: string;
  let launcher: string;
  let base: string;
  let endpoint: ScriptedEndpoint;
  beforeAll(async () => {
    programs = await realpath(await mkdtemp(join(tmpdir(), "workrail-product-")));
    launcher = await installProduct(programs);
  });
  afterAll(() => rm(programs, { recursive: true, force: true }));
  beforeEach(async () => {
    base = await realpath(await mkdtemp(join(tmpdir(), "workrail-user-")));
    endpoint = await startScriptedEndpoint();
  });
  afterEach(async () => {
    await endpoint.close();
    await rm(base, { recursive: true, force: true, maxRetries: 3 });
  });

  const runOf = async (host: HostName): Promise<HostRun> => {
    const run: HostRun = { host, hostsFolder, home: base, project: join(base, "project"), endpointUrl: endpoint.url, prompts: [PROMPT] };
    await mkdir(run.project);
    await makeRepository(run.project, FILES);
    await HOST_PROGRAMS[host].configure(run);
    return run;
  };
  const execute = promisify(execFile);
  const workrail = async (run: HostRun, ...args: readonly string[]): Promise<string> => {
    const { stdout } = await execute(process.execPath, [launcher, ...args], { cwd: run.project, env: hostEnvironment(run) });
    return stdout;
  };
  const hostOutput = async (run: HostRun, args: readonly string[]): Promise<string> => {
    const { stdout, stderr } = await execute(hostBinary(run.host, hostsFolder), args, { cwd: run.project, env: hostEnvironment(run) });
    return stdout + stderr;
  };
  const checkpoints = async (run: HostRun): Promise<readonly Listed[]> =>
    (JSON.parse(await workrail(run, "list", "--json")) as { readonly checkpoints: readonly Listed[] }).checkpoints;
  const hookRuns = async (run: HostRun): Promise<readonly HookRun[]> => {
    const { dataDir } = JSON.parse(await workrail(run, "status", "--json")) as { readonly dataDir: string };
    const lines = (await readFile(join(dataDir, "hooks", "runs.jsonl"), "utf8")).trim().split("\n");
    return lines.map((line) => JSON.parse(line) as HookRun);
  };

  describe.each(HOSTS)("%s", (host) => {
    it("continues after a kill: the model gets the goal, the prohibition and the last step", async () => {
      const run = await runOf(host);
      const before = await settingsOf(run);
      await workrail(run, "setup", host, "--local", "--yes");
      expect(await hostOutput(run, SERVERS[host].args)).toMatch(SERVERS[host].lists);
      endpoint.play({ host, project: run.project, turns: TURNS, holdsAtEnd: true });
      const [killed] = await runHost({ ...run, killWhen: endpoint.held() });
      expect(killed?.signal).toBe("SIGKILL");
      const requestsBefore = endpoint.requests.length;
      endpoint.play({ host, project: run.project, turns: [saying("I go on.")] });
      await runHost({ ...run, prompts: ["Where were we?"] });
      const sent = JSON.stringify(endpoint.requests.slice(requestsBefore));
      expect(missing(sent, ["workrail-resume", GOAL, PROHIBITION, LAST_STEP])).toEqual([]);
      const saved = await checkpoints(run);
      expect(saved.filter(({ name }) => name?.startsWith(GOAL) === true).length).toBeGreaterThan(0);
      expect((await hookRuns(run)).filter(({ error }) => error !== undefined)).toEqual([]);
      expect(await workrail(run, "resume", "--session", sessionOf(saved))).toContain(PROHIBITION);
      await workrail(run, "setup", host, "--remove", "--yes");
      expect(await settingsOf(run)).toEqual(before);
      expect(await hostOutput(run, SERVERS[host].args)).not.toMatch(SERVERS[host].lists);
    });
  });

  it("saves a session of Claude Code at every hook, and gives the whole state after a compaction", async () => {
    const run = await runOf("claude-code");
    await workrail(run, "setup", "claude-code", "--local", "--yes");
    endpoint.play({ host: run.host, project: run.project, turns: [...TURNS, saying("Next: fix the rounding."), saying("As you say.")] });
    await runHost({ ...run, prompts: [PROMPT, "/compact", "And now?"] });
    const runs = await hookRuns(run);
    expect(new Set(runs.map(({ event }) => event))).toEqual(
      new Set(["session-start", "user-prompt", "stop", "pre-compact", "session-end"]),
    );
    expect(runs.filter(({ error }) => error !== undefined)).toEqual([]);
    expect((await checkpoints(run)).map(({ attributes }) => attributes?.savedBy)).toEqual(expect.arrayContaining(["stop", "session-end"]));
    const last = JSON.stringify(endpoint.requests.findLast(({ kind }) => kind === "turn")?.body);
    expect(missing(last, ["The conversation before this point was compacted.", GOAL, PROHIBITION, LAST_STEP])).toEqual([]);
    const pack = runs.findLast(({ packTokens }) => packTokens !== undefined);
    expect(pack?.event).toBe("session-start");
    expect(pack?.packTokens).toBeLessThanOrEqual(1_500);
  });

  it.skipIf(process.platform !== "linux")(
    "saves a turn that Esc ended, and points to it after /clear (needs script of util-linux)",
    async () => {
      const run = await runOf("claude-code");
      await workrail(run, "setup", "claude-code", "--local", "--yes");
      const exchanges = [
        { prompt: PROMPT, turns: TURNS, isEscaped: true },
        { prompt: "/clear", turns: [] },
        { prompt: "And now?", turns: [saying("As you say.")] },
      ];
      await runInTerminal({ ...run, host: "claude-code", endpoint, exchanges });
      const session = sessionOf(await checkpoints(run));
      const last = JSON.stringify(endpoint.requests.findLast(({ kind }) => kind === "turn")?.body);
      expect(missing(last, [session, "workflow_resume"])).toEqual([]);
      expect(await workrail(run, "resume", "--session", session)).toContain("interrupted by the person");
    },
  );

  it("passes Claude Code's validation, as a marketplace and as a plugin", async () => {
    const run = await runOf("claude-code");
    for (const folder of [ROOT, join(ROOT, "plugins", "claude-code")]) {
      expect(await hostOutput(run, ["plugin", "validate", "--strict", folder])).toContain("Validation passed");
    }
  });
});

interface Listed {
  readonly sessionId: string;
  readonly name?: string;
  readonly attributes?: { readonly savedBy?: string };
}

interface HookRun {
  readonly event: string;
  readonly error?: string;
  readonly packTokens?: number;
}

function missing(text: string | undefined, parts: readonly string[]): readonly string[] {
  return parts.filter((part) => text?.includes(part) !== true);
}

function sessionOf(saved: readonly Listed[]): string {
  const session = saved.find(({ name, sessionId }) => name?.startsWith(GOAL) === true && !sessionId.endsWith("-conversation"));
  if (session === undefined) throw new Error("No session of the work was saved.");
  return session.sessionId;
}

/** Returns the texts of the hosts' settings files by path; `""` for a missing file. */
async function settingsOf({ home }: HostRun): Promise<Readonly<Record<string, string>>> {
  const names = [".claude/settings.json", ".codex/config.toml", ".codex/hooks.json", ".gemini/settings.json"];
  const opencode = ".config/opencode";
  const more = await readdir(join(home, opencode), { recursive: true }).catch(() => []);
  const files = [...names, ...more.filter((name) => /workrail|opencode\.jsonc?$/u.test(name)).map((name) => join(opencode, name))];
  const read = async (name: string): Promise<[string, string]> => [name, await readFile(join(home, name), "utf8").catch(() => "")];
  return Object.fromEntries(await Promise.all(files.map(read)));
}
