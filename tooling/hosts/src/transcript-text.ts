import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { anonymize } from "./anonymize.ts";
import { hostBinary, hostEnvironment, type HostRun, hostTranscripts, subagentTranscripts } from "./run-host.ts";
import type { HostName } from "./scenario.ts";

const execute = promisify(execFile);

/** A conversation as `opencode export` prints it. */
interface Exported {
  readonly info: unknown;
  readonly messages: readonly unknown[];
}

/** The transcript of a home directory's conversation: the host's own file, or what opencode exports from its database. */
export async function transcriptText(run: HostRun): Promise<string> {
  return anonymize(run.host === "opencode" ? await exported(run) : await written(run), run.home);
}

/** The transcripts of the sub-agents of a home directory's conversation. */
export async function subagentTexts({ host, home }: HostRun): Promise<readonly string[]> {
  const files = await subagentTranscripts(host, home);
  return Promise.all(files.map(async (file) => anonymize(await readFile(file, "utf8"), home)));
}

/** Returns the part of a transcript that is new since `before`; the whole text when the host rewrote the file. */
export function laterPart(host: HostName, before: string, whole: string): string {
  if (host !== "opencode") return whole.startsWith(before) ? whole.slice(before.length) : whole;
  const { info, messages } = JSON.parse(whole) as Exported;
  return `${JSON.stringify({ info, messages: messages.slice((JSON.parse(before) as Exported).messages.length) })}\n`;
}

async function written({ host, home }: HostRun): Promise<string> {
  const files = await hostTranscripts(host, home);
  return (await Promise.all(files.map((file) => readFile(file, "utf8")))).join("");
}

async function exported(run: HostRun): Promise<string> {
  const opencode = async (...args: readonly string[]): Promise<unknown> => {
    const options = { cwd: run.project, env: hostEnvironment(run), maxBuffer: 100_000_000 };
    return JSON.parse((await execute(hostBinary(run.host, run.hostsFolder), args, options)).stdout);
  };
  const [session] = (await opencode("session", "list", "--format", "json")) as readonly { readonly id: string }[];
  if (session === undefined) throw new Error("opencode has no session of this repository.");
  return `${JSON.stringify(await opencode("export", session.id))}\n`;
}
