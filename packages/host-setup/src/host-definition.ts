import type { HostPart, Program } from "./host-part.ts";
import type { SetupHost } from "./setup-hosts.ts";
import type { Surroundings } from "./surroundings.ts";

/** `user`: for all projects of a person. `project`: for one project. */
export type SetupScope = "user" | "project";

/** The programs that the entries of a host start. */
export interface StartedPrograms {
  /** The MCP server. */
  readonly server: Program;
  /** The hook program. The name of a hook follows as its next argument. */
  readonly hook: Program;
}

/** Facts about one host: where its files are and how they are written. */
export interface HostDefinition {
  readonly host: SetupHost;
  /** Name in the spelling of its makers. */
  readonly title: string;
  /** The name of its program on `PATH`, if it has one. */
  readonly program: string;
  /** Paths: one of them exists after the host was started once. */
  readonly traces: (surroundings: Surroundings) => readonly string[];
  /** The entries to write, file by file; empty when the host has no such scope. */
  readonly parts: (surroundings: Surroundings, scope: SetupScope, programs: StartedPrograms) => readonly HostPart[];
  /** Files that show that our plugin gives the host the same entries; `isOn` reads the text. */
  readonly pluginFiles?: (surroundings: Surroundings) => readonly PluginFile[];
  /** Further facts and steps for the person. */
  readonly notes: (scope: SetupScope) => readonly string[];
}

export interface PluginFile {
  readonly file: string;
  /** True when the file's text says that the plugin is on. */
  readonly isOn: (text: string) => boolean;
}
