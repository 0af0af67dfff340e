import type { HostPart, Program } from "./host-part.ts";
import type { SetupHost } from "./setup-hosts.ts";
import type { Surroundings } from "./surroundings.ts";

/** Whether a set-up is for all that a person does, or for one project. */
export type SetupScope = "user" | "project";

/** What the entries of a host start. */
export interface StartedPrograms {
  /** Speaks MCP. */
  readonly server: Program;
  /** Takes the name of a hook as its next argument. */
  readonly hook: Program;
}

/** Facts about one host: where its files are and how they are written. */
export interface HostDefinition {
  readonly host: SetupHost;
  /** As its makers spell it. */
  readonly title: string;
  /** Its program, when it has one that is called by name. */
  readonly program: string;
  /** Places of which one is there when the host was ever started. */
  readonly traces: (surroundings: Surroundings) => readonly string[];
  /** What is written, file by file; empty where the host has no such scope. */
  readonly parts: (surroundings: Surroundings, scope: SetupScope, programs: StartedPrograms) => readonly HostPart[];
  /** Files that are there when a plugin of ours brings the same entries; the second of each pair tells by its text. */
  readonly pluginFiles?: (surroundings: Surroundings) => readonly PluginFile[];
  /** What a person has to know or do besides. */
  readonly notes: (scope: SetupScope) => readonly string[];
}

export interface PluginFile {
  readonly file: string;
  /** Whether the file's text says that the plugin is on. */
  readonly isOn: (text: string) => boolean;
}
