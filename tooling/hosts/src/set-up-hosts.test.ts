import { mkdir, mkdtemp, readFile, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { applyRemoval, applySetup, planRemoval, planSetup, SetupRecords } from "@workrail/host-setup";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makeRepository } from "./make-repository.ts";
import { HOST_PROGRAMS } from "./programs/host-programs.ts";
import { hostEnvironment, type HostRun, runHost } from "./run-host.ts";
import { type HostName, HOSTS, running, saying } from "./scenario.ts";
import { type ScriptedEndpoint, startScriptedEndpoint } from "./scripted-endpoint.ts";

const hostsFolder = process.env["WORKRAIL_HOSTS"] ?? "";

/** Words that no host writes itself. */
const SPOKEN = "The heron hook says hello.";
const LOG_HOOK = fileURLToPath(new URL("log-hook.ts", import.meta.url));
/** Not started: these tests are about hooks. */
const NO_SERVER = { command: "npx", args: [] };

/** The hooks that fire in a session of one prompt, as each host hands them over. */
const EVENTS: Readonly<Record<HostName, readonly string[]>> = {
  "claude-code": ["SessionStart", "UserPromptSubmit", "Stop", "SessionEnd"],
  codex: ["SessionStart", "UserPromptSubmit", "Stop", "SessionEnd"],
  gemini: ["SessionStart", "BeforeAgent", "AfterAgent", "SessionEnd"],
  opencode: ["SessionStart", "Stop", "UserPromptSubmit"],
};

describe.skipIf(hostsFolder === "")("workrail setup (set WORKRAIL_HOSTS to the folder that install-hosts.ts made)", () => {
  let base: string;
  let endpoint: ScriptedEndpoint;
  beforeEach(async () => {
    base = await realpath(await mkdtemp(join(tmpdir(), "workrail-set-up-")));
    endpoint = await startScriptedEndpoint();
  });
  afterEach(async () => {
    await endpoint.close();
    await rm(base, { recursive: true, force: true, maxRetries: 3 });
  });

  const cases = HOSTS.flatMap((host) => (["user", "project"] as const).map((scope) => [host, scope] as const));

  it.each(cases)("has %s call each hook once (scope: %s), and nothing after its removal", async (host, scope) => {
    const run: HostRun = {
      host,
      hostsFolder,
      home: base,
      project: join(base, "project"),
      endpointUrl: endpoint.url,
      prompts: ["Say hello"],
    };
    await mkdir(run.project);
    await makeRepository(run.project, { "notes.txt": "one\n" });
    await HOST_PROGRAMS[host].configure(run);
    const surroundings = { home: base, project: run.project, env: hostEnvironment(run), platform: process.platform };
    const records = new SetupRecords(join(base, "data"));
    const log = join(base, "hooks.jsonl");
    const hook = { command: process.execPath, args: [LOG_HOOK, log, SPOKEN] };
    const plan = planSetup(host, { scope, mcp: false, server: NO_SERVER, hook }, surroundings);
    expect(plan.faults).toEqual([]);
    await applySetup(plan, records);
    endpoint.play({ host, project: run.project, turns: [running("cat notes.txt"), saying("Hello.")] });
    await runHost(run);
    expect(endpoint.turnsLeft).toBe(0);
    expect((await fired(log)).toSorted()).toEqual(EVENTS[host].toSorted());
    const told = endpoint.requests.filter(({ body }) => JSON.stringify(body ?? "").includes(SPOKEN)).map(({ kind }) => kind);
    expect(told).toContain("turn");
    // Other hosts keep it in the conversation; it is in no request for a title.
    expect(host === "opencode" ? told : ["turn"]).toEqual(["turn"]);
    await applyRemoval(planRemoval(host, { scope }, { surroundings, records }), records);
    endpoint.play({ host, project: run.project, turns: [saying("Alone.")] });
    await runHost(run);
    expect(await fired(log)).toHaveLength(EVENTS[host].length);
  });
});

async function fired(log: string): Promise<readonly string[]> {
  const lines = (await readFile(log, "utf8")).trim().split("\n");
  return lines.map((line) => (JSON.parse(line) as { readonly hook_event_name: string }).hook_event_name);
}
