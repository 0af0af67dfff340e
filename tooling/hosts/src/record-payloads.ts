/** `node src/record-payloads.ts --hosts FOLDER`: stores the first payload of each kind that each host hands to a hook. */
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { anonymize } from "./anonymize.ts";
import { installLogHook } from "./install-log-hook.ts";
import { makeRepository } from "./make-repository.ts";
import { HOST_PROGRAMS } from "./programs/host-programs.ts";
import { RECORDINGS_FOLDER } from "./recordings.ts";
import { type HostRun, runHost } from "./run-host.ts";
import { editing, type HostName, HOSTS, planning, reading, running, saying } from "./scenario.ts";
import { startScriptedEndpoint } from "./scripted-endpoint.ts";

/** Fields that tell payloads of one event apart. */
interface Payload {
  readonly hook_event_name: string;
  readonly source?: string;
  readonly reason?: string;
  readonly trigger?: string;
  readonly tool_name?: string;
}

const PROMPTS = ["Read notes.txt, change nothing else", "/compact", "And now?"];
const TURNS = [
  planning("> Read the notes"),
  reading("notes.txt"),
  running("cat missing.txt"),
  editing("notes.txt", { old: "one", new: "two" }),
  saying("The file is not there."),
  saying("Nothing else."),
];

const { hosts: hostsFolder = process.env["WORKRAIL_HOSTS"] } = parseArgs({ options: { hosts: { type: "string" } } }).values;
if (hostsFolder === undefined) throw new Error("Usage: node src/record-payloads.ts --hosts FOLDER");
for (const host of HOSTS) {
  const payloads = await recordPayloads(host, hostsFolder);
  process.stdout.write(`${host}: ${[...payloads.keys()].join(" ")}\n`);
  await store(host, payloads);
}

async function recordPayloads(host: HostName, hostsFolder: string): Promise<ReadonlyMap<string, unknown>> {
  const base = await realpath(await mkdtemp(join(tmpdir(), "workrail-host-")));
  const home = join(base, "user");
  const endpoint = await startScriptedEndpoint();
  const prompts = PROMPTS.filter((prompt) => host === "claude-code" || prompt !== "/compact");
  const run: HostRun = { host, hostsFolder, home, project: join(home, "project"), endpointUrl: endpoint.url, prompts };
  const log = join(home, "hooks.jsonl");
  try {
    await mkdir(run.project, { recursive: true });
    await makeRepository(run.project, { "notes.txt": "one\n" });
    await HOST_PROGRAMS[host].configure(run);
    await installLogHook(host, run, { log, spoken: "" });
    endpoint.play({ host, project: run.project, turns: TURNS });
    await runHost(run);
    endpoint.play({ host, project: run.project, turns: [saying("Still there.")] });
    await runHost({ ...run, continues: true, prompts: ["Are you there?"] });
    return firstOfEach(anonymize(await readFile(log, "utf8"), home));
  } finally {
    await endpoint.close();
    await rm(base, { recursive: true, force: true, maxRetries: 3 });
  }
}

function firstOfEach(log: string): ReadonlyMap<string, unknown> {
  const found = new Map<string, unknown>();
  for (const line of log.trim().split("\n")) {
    const payload = JSON.parse(line) as Payload;
    const kind = payload.source ?? payload.reason ?? payload.trigger ?? payload.tool_name;
    const name = kind === undefined ? payload.hook_event_name : `${payload.hook_event_name}-${kind}`;
    if (!found.has(name)) found.set(name, payload);
  }
  return found;
}

async function store(host: HostName, payloads: ReadonlyMap<string, unknown>): Promise<void> {
  const folder = new URL(`payloads/${host}/`, RECORDINGS_FOLDER);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  for (const [name, payload] of payloads) {
    await writeFile(new URL(`${name}.json`, folder), `${JSON.stringify(payload, undefined, 1)}\n`);
  }
}
