import fs from "node:fs";
import path from "node:path";
import { hasCode, readGivenFileNow } from "@workrail/blob-files";
import { isJsonObject, type JsonObject, parseJson, WorkrailError } from "@workrail/core";
import type { ForeignMemory } from "./foreign-memory.ts";
import { KEEPER_FILE } from "./memory-keeper.ts";
import { KEPT, unreadableMemory } from "./refusals.ts";
import { textOf } from "./text-of.ts";

/** The surroundings that tell where another program keeps its data. */
export interface ForeignPlaces {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The person's home directory. */
  readonly home: string;
}

const FINDERS: Readonly<Record<ForeignMemory, (places: ForeignPlaces) => readonly string[]>> = {
  "mcp-memory-keeper": keeperPlaces,
  "server-memory": serverMemoryPlaces,
  "basic-memory": basicMemoryPlaces,
};

/**
 * Finds the data of a program at its default places and at those that its own variables and files name. Returns only existing places,
 * and those that the user may not read: reading them says so.
 *
 * @throws INVALID_INPUT when there is no data. The message names the places.
 */
export function findForeignMemory(source: ForeignMemory, places: ForeignPlaces): readonly string[] {
  const candidates = [...new Set(FINDERS[source](places))];
  const found = candidates.filter(isThere);
  if (found.length > 0) return found;
  throw new WorkrailError("INVALID_INPUT", `Nothing of ${source} was found.`, {
    details: { source, places: candidates },
    hint: `Name ${KEPT[source]}: workrail import ${source} <path>. Looked at: ${candidates.join(", ") || "no known place"}.`,
  });
}

function isThere(place: string): boolean {
  try {
    return fs.statSync(place, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    if (hasCode(error, "EACCES", "EPERM")) return true;
    throw error;
  }
}

function keeperPlaces({ env, home }: ForeignPlaces): readonly string[] {
  const directory = env["DATA_DIR"] ? path.resolve(env["DATA_DIR"]) : path.join(home, "mcp-data", "memory-keeper");
  return [path.join(directory, KEEPER_FILE)];
}

/** Without a variable the program writes beside its own code. With `npx` that is the cache of npm. */
function serverMemoryPlaces({ env, home }: ForeignPlaces): readonly string[] {
  const named = env["MEMORY_FILE_PATH"];
  if (named && path.isAbsolute(named)) return [named];
  const names = named ? [named] : ["memory.jsonl", "memory.json"];
  return npxInstallations(env, home).flatMap((directory) => {
    const files = names.map((name) => path.join(directory, "node_modules", "@modelcontextprotocol", "server-memory", "dist", name));
    // The older name is read only when the newer one is missing.
    return files.filter((file, index) => index === 0 || !fs.existsSync(files[0] ?? file));
  });
}

function npxInstallations(env: ForeignPlaces["env"], home: string): readonly string[] {
  const local = env["LOCALAPPDATA"];
  const cache = env["npm_config_cache"] || (local ? path.join(local, "npm-cache") : path.join(home, ".npm"));
  const folder = path.join(cache, "_npx");
  if (!fs.existsSync(folder)) return [];
  const names = fs.readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return names.map(({ name }) => path.join(folder, name)).toSorted();
}

const MAX_CONFIGURATION_BYTES = 1024 * 1024;

/** Every project of the configuration; the variable moves the project `main`. */
function basicMemoryPlaces({ env, home }: ForeignPlaces): readonly string[] {
  const main = env["BASIC_MEMORY_HOME"] || path.join(home, "basic-memory");
  const directory = env["BASIC_MEMORY_CONFIG_DIR"] || path.join(home, ".basic-memory");
  const projects = Object.entries(configuredProjects(path.join(directory, "config.json")));
  const others = projects.filter(([name]) => name !== "main" || !env["BASIC_MEMORY_HOME"]);
  const paths = others.flatMap(([, project]) => pathOf(project) ?? []).map((given) => given.replace(/^~(?=$|[\\/])/u, home));
  return paths.length === 0 || env["BASIC_MEMORY_HOME"] ? [main, ...paths] : paths;
}

/** The path of a project. Depending on the version a project is a path, or an object that has one. */
function pathOf(project: unknown): string | undefined {
  const given = typeof project === "object" && project !== null && "path" in project ? project.path : project;
  return typeof given === "string" && given !== "" ? given : undefined;
}

function configuredProjects(file: string): JsonObject {
  const found = readGivenFileNow(file, MAX_CONFIGURATION_BYTES);
  if ("refused" in found) {
    if (found.refused === "missing") return {};
    throw unreadableMemory({ source: "basic-memory", place: file }, "its configuration cannot be read");
  }
  const configuration = parsed(file, textOf(found.bytes));
  const projects = isJsonObject(configuration) ? configuration["projects"] : undefined;
  return isJsonObject(projects) ? projects : {};
}

function parsed(file: string, text: string | undefined): unknown {
  try {
    return parseJson(text ?? "");
  } catch (cause) {
    if (cause instanceof SyntaxError)
      throw unreadableMemory({ source: "basic-memory", place: file }, "its configuration is not JSON", cause);
    throw cause;
  }
}
