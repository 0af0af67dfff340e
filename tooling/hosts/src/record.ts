import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { gzipSync } from "node:zlib";
import { makeRepository } from "./make-repository.ts";
import { HOST_PROGRAMS } from "./programs/host-programs.ts";
import type { Recording } from "./recordings.ts";
import { RECORDINGS_FOLDER, recordings } from "./recordings.ts";
import { runInTerminal } from "./run-in-terminal.ts";
import { type HostExit, type HostRun, runHost } from "./run-host.ts";
import type { Exchange, HostName, Scenario } from "./scenario.ts";
import { SCENARIOS } from "./scenarios/all-scenarios.ts";
import { type ScriptedEndpoint, startScriptedEndpoint } from "./scripted-endpoint.ts";
import { laterPart, subagentTexts, transcriptText } from "./transcript-text.ts";

/** Longer transcripts are stored compressed. */
const LONGEST_PLAIN_BYTES = 200_000;

/** One scenario on one host. */
interface Session extends HostRun {
  readonly scenario: Scenario;
  readonly endpoint: ScriptedEndpoint;
}

const { values, positionals } = parseArgs({ allowPositionals: true, options: { hosts: { type: "string" }, keep: { type: "boolean" } } });
const hostsFolder = values.hosts ?? process.env["WORKRAIL_HOSTS"];
if (hostsFolder === undefined) throw new Error("Usage: node src/record.ts --hosts FOLDER [--keep] [SCENARIO[.HOST] ...]");

const wanted = SCENARIOS.flatMap((scenario) => scenario.hosts.map((host) => ({ scenario, host, name: `${scenario.name}.${host}` }))).filter(
  ({ scenario, name }) => positionals.length === 0 || positionals.includes(scenario.name) || positionals.includes(name),
);
for (const { scenario, host, name } of wanted) {
  const recording = await record(scenario, host, hostsFolder);
  await remember(recording);
  process.stdout.write(`${name}: ${recording.bytes.before} + ${recording.bytes.after} characters\n`);
}

async function record(scenario: Scenario, host: HostName, hostsFolder: string): Promise<Recording> {
  const base = await realpath(await mkdtemp(join(tmpdir(), "workrail-host-")));
  const home = join(base, "user");
  const project = join(home, scenario.name);
  await mkdir(project, { recursive: true });
  await makeRepository(project, scenario.files);
  const endpoint = await startScriptedEndpoint();
  try {
    return await recordSession({ scenario, host, hostsFolder, home, project, endpoint, endpointUrl: endpoint.url, prompts: [] });
  } finally {
    await endpoint.close();
    if (values.keep === true) process.stdout.write(`kept: ${base}\n`);
    else await rm(base, { recursive: true, force: true });
  }
}

/** Records the lines that the host wrote before the cut, and those that it added afterwards. */
async function recordSession(session: Session): Promise<Recording> {
  const { scenario, host } = session;
  await playBefore(session);
  const before = await transcriptText(session);
  await play(session, scenario.after, { continues: true, isKilled: false });
  const after = laterPart(host, before, await transcriptText(session));
  const name = `${scenario.name}.${host}`;
  const subagents = (await subagentTexts(session)).map((text, index) => store(`${name}.subagent-${index + 1}.jsonl`, text));
  const ending = host === "opencode" ? "json" : "jsonl";
  return {
    scenario: scenario.name,
    host,
    version: HOST_PROGRAMS[host].version,
    before: await store(`${name}.${ending}`, before),
    after: await store(`${name}.after.${ending}`, after),
    ...(subagents.length > 0 ? { subagents: await Promise.all(subagents) } : {}),
    bytes: { before: before.length, after: after.length },
  };
}

async function playBefore(session: Session): Promise<void> {
  const { host, scenario } = session;
  const isInTerminal = scenario.before.some(({ isEscaped }) => isEscaped === true);
  if (!isInTerminal) return play(session, scenario.before, { continues: false, isKilled: scenario.isInterrupted ?? false });
  if (host !== "claude-code") throw new Error(`${scenario.name}: only Claude Code runs in a terminal, not ${host}.`);
  return runInTerminal({ ...session, host, exchanges: scenario.before });
}

async function play(
  session: Session,
  exchanges: readonly Exchange[],
  { continues, isKilled }: { readonly continues: boolean; readonly isKilled: boolean },
): Promise<void> {
  const { endpoint, host, project } = session;
  endpoint.play({ host, project, turns: exchanges.flatMap(({ turns }) => turns), holdsAtEnd: isKilled });
  const exits = await runHost({
    ...session,
    prompts: exchanges.map(({ prompt }) => prompt),
    continues,
    ...(isKilled ? { killWhen: endpoint.held() } : {}),
  });
  const isRight = ({ exitCode, signal }: HostExit): boolean => (isKilled ? signal === "SIGKILL" || exitCode === 0 : exitCode === 0);
  const wrong = exits.find((exit) => !isRight(exit));
  if (wrong !== undefined || endpoint.turnsLeft > 0) {
    throw new Error(`${session.scenario.name} on ${host}: ${endpoint.turnsLeft} turns left\n${wrong?.stdout}\n${wrong?.stderr}`);
  }
}

async function store(name: string, text: string): Promise<string> {
  await mkdir(RECORDINGS_FOLDER, { recursive: true });
  const isLong = Buffer.byteLength(text) > LONGEST_PLAIN_BYTES;
  const file = isLong ? `${name}.gz` : name;
  await writeFile(new URL(file, RECORDINGS_FOLDER), isLong ? gzipSync(text) : text);
  await rm(new URL(isLong ? name : `${name}.gz`, RECORDINGS_FOLDER), { force: true });
  return file;
}

async function remember(recording: Recording): Promise<void> {
  const others = (await recordings()).filter(({ scenario, host }) => scenario !== recording.scenario || host !== recording.host);
  const all = [...others, recording].sort((a, b) => `${a.scenario}.${a.host}`.localeCompare(`${b.scenario}.${b.host}`));
  await writeFile(new URL("index.json", RECORDINGS_FOLDER), `${JSON.stringify(all, undefined, 2)}\n`);
}
