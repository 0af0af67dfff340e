import path from "node:path";
import { isWorkrailError } from "@workrail/core";
import { findHosts } from "./find-hosts.ts";
import type { SetupScope } from "./host-definition.ts";
import type { HostPart, PartFindings, Program } from "./host-part.ts";
import { ALL_HOSTS } from "./hosts/all-hosts.ts";
import { pluginIsOn } from "./plugin-is-on.ts";
import { readHostFile } from "./read-host-file.ts";
import type { SetupFault } from "./setup-change.ts";
import { SETUP_HOSTS, type SetupHost } from "./setup-hosts.ts";
import { findProgram, isFile, type Surroundings } from "./surroundings.ts";

/** State of a host's connection with Workrail. */
export interface HostReport {
  readonly host: SetupHost;
  readonly title: string;
  /** The host itself was found. */
  readonly isThere: boolean;
  /** A plugin of ours is on in it. */
  readonly hasPlugin: boolean;
  readonly servers: readonly FoundServer[];
  readonly hooks: readonly FoundHooks[];
  /** Unusable files, and entries that start no existing program. */
  readonly faults: readonly SetupFault[];
}

/** An MCP entry of ours. */
export interface FoundServer {
  readonly scope: SetupScope;
  readonly file: string;
  readonly program: Program;
}

/** Hooks of ours in one file. */
export interface FoundHooks {
  readonly scope: SetupScope;
  readonly file: string;
  /** The host's names of the events. */
  readonly events: readonly string[];
}

type Looked = { readonly scope: SetupScope; readonly part: HostPart } & ({ readonly found: PartFindings } | { readonly fault: SetupFault });

const NO_PROGRAM = { command: "", args: [] };

/** Looks for our entries in the files of every host. Changes nothing and starts nothing. */
export function inspectHosts(surroundings: Surroundings): readonly HostReport[] {
  const there = findHosts(surroundings);
  return SETUP_HOSTS.map((host) => inspectHost(host, there.includes(host), surroundings));
}

function inspectHost(host: SetupHost, isThere: boolean, surroundings: Surroundings): HostReport {
  const definition = ALL_HOSTS[host];
  const looked = (["user", "project"] as const).flatMap((scope) =>
    definition.parts(surroundings, scope, { server: NO_PROGRAM, hook: NO_PROGRAM }).map((part) => look(scope, part)),
  );
  const found = looked.filter((each) => "found" in each);
  const hooks = found
    .filter(({ found: { events } }) => events.length > 0)
    .map(({ scope, part, found: { events } }) => ({ scope, file: part.file, events }));
  const servers = found.flatMap(({ scope, part, found: { server } }): readonly FoundServer[] =>
    server === undefined ? [] : [{ scope, file: part.file, program: server }],
  );
  const hasPlugin = pluginIsOn(definition, surroundings);
  const faults = [
    ...looked.flatMap((each) => ("fault" in each ? each.fault : [])),
    ...servers.flatMap(({ file, program }) => missingServer(file, program, surroundings)),
    ...found.flatMap(({ part, found: { commands } }) => commands.flatMap((command) => missingFiles(part.file, command))),
    ...(hasPlugin ? hooks.map(({ file }) => twice(file)) : []),
  ];
  return { host, title: definition.title, isThere, hasPlugin, servers, hooks, faults: unique(faults) };
}

function look(scope: SetupScope, part: HostPart): Looked {
  try {
    const { text } = readHostFile(part.file);
    return { scope, part, found: text === undefined ? { events: [], commands: [] } : part.inspect(text) };
  } catch (error) {
    if (!isWorkrailError(error)) throw error;
    const { message, hint } = error;
    return { scope, part, fault: { file: part.file, message, hint } };
  }
}

function missingServer(file: string, { command, args }: Program, surroundings: Surroundings): readonly SetupFault[] {
  const isThere = path.isAbsolute(command) ? isFile(command) : findProgram(command, surroundings) !== undefined;
  if (!isThere) return [starting(file, "MCP entry", command)];
  const script = args.find((word) => path.isAbsolute(word) && /\.m?js$/u.test(word));
  return script === undefined || isFile(script) ? [] : [starting(file, "MCP entry", script)];
}

/** Absolute paths among the words of a hook command. */
function missingFiles(file: string, command: string): readonly SetupFault[] {
  const words = [...command.matchAll(/"([^"]*)"|'([^']*)'|([^\s"']+)/gu)].map(
    ([, double, single, plain]) => double ?? single ?? plain ?? "",
  );
  return words.filter((word) => path.isAbsolute(word) && !isFile(word)).map((word) => starting(file, "hooks", word));
}

function starting(file: string, entries: string, missing: string): SetupFault {
  return { file, message: `The ${entries} in ${file} cannot start: ${missing} does not exist.`, hint: "Run `workrail setup` again." };
}

function twice(file: string): SetupFault {
  return {
    file,
    message: `The hooks in ${file} fire twice, because the plugin of Workrail is on too.`,
    hint: "Run `workrail setup --remove` for this host, or turn the plugin off.",
  };
}

function unique(faults: readonly SetupFault[]): readonly SetupFault[] {
  return faults.filter(({ message }, index) => faults.findIndex((other) => other.message === message) === index);
}
