import path from "node:path";
import type { FoundServer, HostReport, Program } from "@workrail/host-setup";
import type { DoctorFinding } from "@workrail/runtime";
import { type TriedServer, tryServer, type TryOptions } from "./try-server.ts";

const check = "server";
const LOCAL_MS = 5_000;
/** Milliseconds. npx may have to download the package first. */
const FETCHED_MS = 60_000;

export interface ServerTrials extends Omit<TryOptions, "timeoutMs"> {
  /** True to start also servers that npx runs. */
  readonly withNpx: boolean;
}

interface Entry extends FoundServer {
  readonly title: string;
}

/**
 * Starts each Workrail server that a host would start, once, and asks it to initialize. Entries of a project are listed but not started:
 * a project's files are untrusted, and may name any program.
 */
export async function examineServers(hosts: readonly HostReport[], trials: ServerTrials): Promise<readonly DoctorFinding[]> {
  const entries = hosts.flatMap(({ title, servers }) => servers.map((server) => ({ ...server, title })));
  const byProgram = Map.groupBy(entries, ({ scope, program }) => JSON.stringify([scope, program.command, program.args]));
  const findings: DoctorFinding[] = [];
  for (const [first, ...others] of byProgram.values()) {
    if (first === undefined) continue;
    const titles = [...new Set([first, ...others].map(({ title }) => title))].join(", ");
    findings.push(await examine(first, titles, trials));
  }
  return findings;
}

async function examine({ program, scope, file }: Entry, titles: string, { withNpx, ...trials }: ServerTrials): Promise<DoctorFinding> {
  const line = lineOf(program);
  const told = { check, status: "ok", message: `${titles}: ${line}` } as const;
  if (scope === "project") return { ...told, message: `${told.message}. Not started: the entry is in ${file}, a file of a project.` };
  if (isByNpx(program)) {
    if (withNpx) return tried(told.message, await tryServer(program, { ...trials, timeoutMs: FETCHED_MS }));
    return {
      ...told,
      message: `${told.message}. Not started: npx may have to download it.`,
      hint: "`workrail doctor --npx` starts it as well.",
    };
  }
  if (isLocal(program)) return tried(told.message, await tryServer(program, { ...trials, timeoutMs: LOCAL_MS }));
  return { ...told, message: `${told.message}. Not started: the entry does not have the form that \`workrail setup\` writes.` };
}

function tried(told: string, result: TriedServer): DoctorFinding {
  if ("failure" in result) {
    return { check, status: "warning", message: `${told} does not work: ${result.failure}.`, hint: "Run `workrail setup` again." };
  }
  return { check, status: "ok", message: `${told} answers as ${result.name} ${result.version}, in ${result.ms} ms.` };
}

/** `npx -y @workrail/mcp-server`, on Windows through cmd. */
function isByNpx({ command, args }: Program): boolean {
  const words = [nameOf(command), ...args];
  const [npx, yes, name = "", ...settings] = words[0] === "cmd" && words[1] === "/c" ? words.slice(2) : words;
  return npx === "npx" && yes === "-y" && /^@workrail\/mcp-server(?:@[\w.-]+)?$/u.test(name) && settings.every(isSetting);
}

/** Node with the file of the Workrail server, followed by settings. */
function isLocal({ command, args: [script = "", ...settings] }: Program): boolean {
  const isServer = path.isAbsolute(script) && path.basename(script) === "workrail-mcp.mjs";
  return path.isAbsolute(command) && nameOf(command) === "node" && isServer && settings.every(isSetting);
}

function isSetting(word: string): boolean {
  return word.startsWith("--");
}

function nameOf(command: string): string {
  return path.basename(command).replace(/\.(?:exe|cmd)$/iu, "");
}

function lineOf({ command, args }: Program): string {
  return [command, ...args].map((word) => (/^[\w./:=@\\-]+$/u.test(word) ? word : JSON.stringify(word))).join(" ");
}
