import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { gzipSync } from "node:zlib";
import { anonymize } from "./anonymize.ts";
import { makeRepository } from "./make-repository.ts";
import { HOST_PROGRAMS } from "./programs/host-programs.ts";
import type { Recording } from "./recordings.ts";
import { RECORDINGS_FOLDER, recordings } from "./recordings.ts";
import { type HostExit, hostTranscripts, runHost } from "./run-host.ts";
import type { Exchange, HostName, Scenario } from "./scenario.ts";
import { SCENARIOS } from "./scenarios/all-scenarios.ts";
import { type ScriptedEndpoint, startScriptedEndpoint } from "./scripted-endpoint.ts";

/** Longer transcripts are stored compressed. */
const LONGEST_PLAIN_BYTES = 200_000;

/** One scenario on one host. */
interface Session {
  readonly scenario: Scenario;
  readonly host: HostName;
  readonly hostsFolder: string;
  readonly home: string;
  readonly project: string;
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
  process.stdout.write(`${name}: ${recording.bytes.before} + ${recording.bytes.after} bytes\n`);
}

async function record(scenario: Scenario, host: HostName, hostsFolder: string): Promise<Recording> {
  const base = await realpath(await mkdtemp(join(tmpdir(), "workrail-host-")));
  const home = join(base, "user");
  const project = join(home, scenario.name);
  await mkdir(project, { recursive: true });
  await makeRepository(project, scenario.files);
  const endpoint = await startScriptedEndpoint();
  try {
    return await recordSession({ scenario, host, hostsFolder, home, project, endpoint });
  } finally {
    await endpoint.close();
    if (values.keep === true) process.stdout.write(`kept: ${base}\n`);
    else await rm(base, { recursive: true, force: true });
  }
}

/** What the host wrote before the cut, and what it added to that afterwards. */
async function recordSession(session: Session): Promise<Recording> {
  const { scenario, host } = session;
  await play(session, scenario.before, { continues: false, isKilled: scenario.isInterrupted ?? false });
  const before = await transcript(session);
  await play(session, scenario.after, { continues: true, isKilled: false });
  const whole = await transcript(session);
  const after = whole.startsWith(before) ? whole.slice(before.length) : whole;
  const name = `${scenario.name}.${host}`;
  return {
    scenario: scenario.name,
    host,
    version: HOST_PROGRAMS[host].version,
    before: await store(`${name}.jsonl`, before),
    after: await store(`${name}.after.jsonl`, after),
    bytes: { before: before.length, after: after.length },
  };
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
    endpointUrl: endpoint.url,
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

async function transcript({ host, home }: Session): Promise<string> {
  const files = await hostTranscripts(host, home);
  const texts = await Promise.all(files.map((file) => readFile(file, "utf8")));
  return anonymize(texts.join(""), home);
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
