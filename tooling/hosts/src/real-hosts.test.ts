import { mkdir, mkdtemp, readFile, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { installLogHook } from "./install-log-hook.ts";
import { makeRepository } from "./make-repository.ts";
import { HOST_PROGRAMS } from "./programs/host-programs.ts";
import { type HostRun, hostTranscripts, runHost } from "./run-host.ts";
import { runInTerminal } from "./run-in-terminal.ts";
import { type HostName, HOSTS, reading, running, saying, type Turn } from "./scenario.ts";
import { type ScriptedEndpoint, startScriptedEndpoint } from "./scripted-endpoint.ts";

const hostsFolder = process.env["WORKRAIL_HOSTS"] ?? "";

/** Words that no host writes itself. */
const SPOKEN = "The kingfisher hook says hello.";

/** The hooks that fire in a session of one prompt, in the words of each host. */
const EVENTS: Readonly<Record<HostName, readonly string[]>> = {
  "claude-code": ["SessionStart", "UserPromptSubmit", "Stop", "SessionEnd"],
  codex: ["SessionStart", "UserPromptSubmit", "Stop", "SessionEnd"],
  gemini: ["SessionStart", "BeforeAgent", "AfterAgent", "SessionEnd"],
  opencode: ["session.created", "session.idle"],
};

const TURNS: readonly Turn[] = [reading("notes.txt"), running("cat missing.txt", "I look for the file."), saying("It is not there.")];

describe.skipIf(hostsFolder === "")("real hosts (set WORKRAIL_HOSTS to the folder that install-hosts.ts made)", () => {
  let base: string;
  let endpoint: ScriptedEndpoint;
  beforeEach(async () => {
    base = await realpath(await mkdtemp(join(tmpdir(), "workrail-host-")));
    endpoint = await startScriptedEndpoint();
  });
  afterEach(async () => {
    await endpoint.close();
    await rm(base, { recursive: true, force: true, maxRetries: 3 });
  });

  /** A home directory and a repository, with the hooks that are under test. */
  const prepare = async (host: HostName): Promise<HostRun & { readonly log: string }> => {
    const run = { host, hostsFolder, home: base, project: join(base, "project"), endpointUrl: endpoint.url, prompts: ["Read notes.txt"] };
    const log = join(base, "hooks.jsonl");
    await mkdir(run.project);
    await makeRepository(run.project, { "notes.txt": "one\n" });
    await HOST_PROGRAMS[host].configure(run);
    // The product's own set-up takes the place of this line in tests of the product.
    await installLogHook(host, run, { log, spoken: SPOKEN });
    return { ...run, log };
  };

  const fired = async (log: string): Promise<readonly string[]> => {
    const lines = (await readFile(log, "utf8")).trim().split("\n");
    return lines.map((line) => (JSON.parse(line) as { readonly hook_event_name: string }).hook_event_name);
  };

  const asked = (): string => JSON.stringify(endpoint.requests.filter(({ kind }) => kind === "turn").map(({ body }) => body));

  describe.each(HOSTS)("%s", (host) => {
    it("runs the script, writes a transcript, fires its hooks and hands their words to the model", async () => {
      const run = await prepare(host);
      endpoint.play({ host, project: run.project, turns: TURNS });
      const exits = await runHost(run);
      expect(exits.map(({ exitCode, stderr }) => exitCode === 0 || stderr)).toEqual([true]);
      expect(endpoint.turnsLeft).toBe(0);
      expect(asked()).toContain("No such file or directory");
      expect(asked()).toContain(SPOKEN);
      expect(await hostTranscripts(host, run.home)).toHaveLength(1);
      expect(await fired(run.log)).toEqual(expect.arrayContaining([...EVENTS[host]]));
    });

    it("is killed in the middle, and starts again in the same repository", async () => {
      const run = await prepare(host);
      endpoint.play({ host, project: run.project, turns: TURNS.slice(0, 2), holdsAtEnd: true });
      const [killed] = await runHost({ ...run, killWhen: endpoint.held() });
      expect(killed?.exitCode).not.toBe(0);
      expect(await fired(run.log)).not.toContain(EVENTS[host].at(-1));
      const before = endpoint.requests.length;
      endpoint.play({ host, project: run.project, turns: [saying("Here I am again.")] });
      await runHost({ ...run, prompts: ["Where were we?"] });
      expect(endpoint.turnsLeft).toBe(0);
      expect(JSON.stringify(endpoint.requests.slice(before))).toContain(SPOKEN);
    });
  });

  it("lets Claude Code compact its conversation, with hooks before it and a session start after it", async () => {
    const run = await prepare("claude-code");
    endpoint.play({ host: run.host, project: run.project, turns: [...TURNS, saying("As you say.")] });
    await runHost({ ...run, prompts: ["Read notes.txt", "/compact", "And now?"] });
    const events = await fired(run.log);
    const after = events.slice(events.indexOf("PreCompact")).filter((event) => event !== "SubagentStop");
    expect(after).toEqual(["PreCompact", "SessionStart", "PostCompact", "UserPromptSubmit", "Stop", "SessionEnd"]);
    expect(endpoint.turnsLeft).toBe(0);
  });

  it.skipIf(process.platform !== "linux")(
    "runs Claude Code in a terminal, where Esc ends a turn without a Stop (needs script of util-linux)",
    async () => {
      const run = await prepare("claude-code");
      const exchanges = [
        { prompt: "Read notes.txt", turns: TURNS.slice(0, 2), isEscaped: true },
        { prompt: "Leave it at that", turns: [saying("As you say.")] },
      ];
      await runInTerminal({ ...run, host: "claude-code", endpoint, exchanges });
      const events = (await fired(run.log)).filter((event) => !event.includes("ToolUse"));
      expect(events).toEqual(["SessionStart", "UserPromptSubmit", "UserPromptSubmit", "Stop", "SessionEnd"]);
    },
  );
});
