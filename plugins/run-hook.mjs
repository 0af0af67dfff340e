// Runs a hook in this process, by the Workrail that is installed. Where there is none it does nothing: a hook never stops an agent.
import { existsSync, readdirSync, realpathSync, statSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";

const PROGRAMS = [path.join("cli", "dist", "workrail.mjs"), path.join("mcp-server", "dist", "workrail-mcp.mjs")];
const { env, platform, execPath } = process;
const isWindows = platform === "win32";

/** Folders in which package managers install what is installed globally. */
function globalFolders() {
  const ofNode = path.dirname(execPath);
  const prefixes = [env["npm_config_prefix"], path.dirname(ofNode)].filter((prefix) => prefix !== undefined);
  const folders = isWindows ? [ofNode, path.join(env["APPDATA"] ?? "", "npm")] : prefixes.map((prefix) => path.join(prefix, "lib"));
  const pnpm = path.join(env["PNPM_HOME"] ?? "", "global");
  return [...folders, ...(env["PNPM_HOME"] === undefined ? [] : inside(pnpm))].map((folder) => path.join(folder, "node_modules"));
}

/** Programs on the path: on Windows they are scripts, beside which the packages are. */
function onPath() {
  const folders = (env["PATH"] ?? env["Path"] ?? "").split(path.delimiter).filter((folder) => path.isAbsolute(folder));
  if (isWindows) return folders.flatMap((folder) => programsIn(path.join(folder, "node_modules")));
  const names = folders.flatMap((folder) => ["workrail", "workrail-mcp"].map((name) => path.join(folder, name)));
  return names
    .filter((name) => existsSync(name))
    .map((name) => realpathSync(name))
    .filter((file) => file.endsWith(".mjs"));
}

/** The server that npx has fetched for the MCP entry, the newest first. */
function fetchedByNpx() {
  const usual = isWindows ? path.join(env["LOCALAPPDATA"] ?? homedir(), "npm-cache") : path.join(homedir(), ".npm");
  const found = inside(path.join(env["npm_config_cache"] ?? usual, "_npx")).flatMap((folder) =>
    programsIn(path.join(folder, "node_modules")),
  );
  return found.filter((file) => existsSync(file)).toSorted((one, other) => statSync(other).mtimeMs - statSync(one).mtimeMs);
}

function programsIn(folder) {
  return PROGRAMS.map((program) => path.join(folder, "@workrail", program));
}

function inside(folder) {
  return existsSync(folder) ? readdirSync(folder).map((name) => path.join(folder, name)) : [];
}

function findProgram() {
  const installed = [...onPath(), ...globalFolders().flatMap(programsIn)].find((file) => existsSync(file));
  return installed ?? fetchedByNpx()[0];
}

const program = findProgram();
if (program !== undefined) {
  // The program reads its arguments as if Node had been started with it.
  process.argv[1] = program;
  await import(pathToFileURL(program).href);
}
