import { type GitState, invalidInput, type WorkrailError } from "@workrail/core";
import { type HookEvent, type HookHost, type HookPayload, parsePayload } from "@workrail/host-transcripts";
import type { Environment } from "../config/default-data-dir.ts";
import { GitReader } from "../git/read-git-state.ts";
import { findProject } from "../project.ts";
import { folderOfProject, type HookPlaces, hookPlaces, shortDigest, stateFile } from "./hook-places.ts";
import { type HookSettings, hookSettings } from "./hook-settings.ts";
import type { IncomingSave } from "./incoming-save.ts";

export const HOOK_EVENTS: readonly HookEvent[] = ["session-start", "user-prompt", "pre-compact", "stop", "session-end"];

/** Services that the program provides to a hook. */
export interface HookPorts {
  readonly env: Environment;
  /** Settings that the program has already read from `env`. Default: the hook reads them. */
  readonly settings?: HookSettings | undefined;
  readonly home: string;
  readonly now: () => Date;
  /** Returns the milliseconds until the hook must be done. */
  readonly msLeft: () => number;
  /** Opens the store and saves at once. Used for a sealed store, because incoming saves are not encrypted. */
  readonly saveNow: (saves: readonly IncomingSave[]) => Promise<void>;
}

/** One call of a hook: the host's payload and its place. */
export interface HookCall {
  readonly event: HookEvent;
  readonly ports: HookPorts;
  readonly settings: HookSettings;
  readonly places: HookPlaces;
  readonly payload: HookPayload;
  readonly host: HookHost;
  readonly place: WorkPlace;
}

/** Where a session works. */
export interface WorkPlace {
  readonly cwd: string | undefined;
  readonly project: string | undefined;
  readonly git: GitState | undefined;
  /** The folder with the states of the repository's sessions. */
  readonly folder: string;
}

/** @throws INVALID_INPUT for input that no host sends. */
export async function readCall(
  event: HookEvent,
  given: { readonly host: HookHost | undefined; readonly input: string },
  ports: HookPorts,
): Promise<HookCall> {
  const payload = parsePayload(given.host, parsed(given.input));
  if (payload?.sessionId === undefined) throw noPayload();
  const settings = ports.settings ?? hookSettings(ports.env);
  const places = hookPlaces(settings.dataDir);
  return { event, ports, settings, places, payload, host: payload.host, place: await placeOf(payload.cwd, settings, places) };
}

export async function placeOf(cwd: string | undefined, settings: HookSettings, places: HookPlaces): Promise<WorkPlace> {
  const project = settings.project ?? (cwd === undefined ? undefined : findProject(cwd));
  const git = await new GitReader(project).read();
  return { cwd, project, git, folder: folderOfProject(places, project, git) };
}

/** Id of the host's session; the agent's id follows for a sub-agent. */
export function hostSessionOf({ sessionId, agentId }: HookPayload): string {
  return agentId === undefined ? sessionId : `${sessionId}.${agentId}`;
}

/** Longest id of a host's session. The store allows 128 characters, and the id of a conversation has a suffix. */
const LONGEST_ID = 100;

/** Returns the store's session id for a session of a host. VS Code uses the sessions of Claude Code. */
export function sessionIdOf(host: HookHost, hostSession: string): string {
  const id = `${host === "vscode" ? "claude-code" : host}-${hostSession}`;
  const plain = id.replaceAll(/[^\w.-]/gu, "-");
  if (plain === id && id.length <= LONGEST_ID) return id;
  return `${plain.slice(0, LONGEST_ID - 21)}-${shortDigest(id)}`;
}

export function stateFileOf({ place, places }: Pick<HookCall, "place" | "places">, sessionId: string): string {
  return stateFile(places, place.folder, sessionId);
}

function parsed(input: string): unknown {
  try {
    return JSON.parse(input.replace(/^\uFEFF/u, ""));
  } catch (error) {
    throw noPayload(error);
  }
}

function noPayload(cause?: unknown): WorkrailError {
  const error = invalidInput(
    "input",
    "Standard input is not the JSON that a host sends to a hook.",
    "Hosts run the hooks; set them up with: workrail setup",
  );
  return cause === undefined ? error : Object.assign(error, { cause });
}
