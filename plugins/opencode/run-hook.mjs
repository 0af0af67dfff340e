// Runs a hook in this process with the installed Workrail. Does nothing when none is installed: a hook never stops an agent.
import { existsSync, readdirSync, realpathSync, statSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";

const PROGRAMS = [path.join("cli", "dist", "workrail.mjs"), path.join("mcp-server", "dist", "workrail-mcp.mjs")];
const { env, platform, execPath } = process;
const isWindows = platform === "win32";

/** Folders of globally installed packages. */
function globalFolders() {
  const ofNode = path.dirname(execPath);
  const prefixes = [env["npm_config_prefix"], path.dirname(ofNode)].filter((prefix) => prefix !== undefined);
  const folders = isWindows ? [ofNode, path.join(env["APPDATA"] ?? "", "npm")] : prefixes.map((prefix) => path.join(prefix, "lib"));
  const pnpm = path.join(env["PNPM_HOME"] ?? "", "global");
  return [...folders, ...(env["PNPM_HOME"] === undefined ? [] : inside(pnpm))].map((folder) => path.join(folder, "node_modules"));
}

/** Programs on `PATH`. On Windows they are scripts, and the packages are beside them. */
function onPath() {
  const folders = (env["PATH"] ?? env["Path"] ?? "").split(path.delimiter).filter((folder) => path.isAbsolute(folder));
  if (isWindows) return folders.flatMap((folder) => programsIn(path.join(folder, "node_modules")));
  const names = folders.flatMap((folder) => ["workrail", "workrail-mcp"].map((name) => path.join(folder, name)));
  return names
    .filter((name) => existsSync(name))
    .map((name) => realpathSync(name))
    .filter((file) => file.endsWith(".mjs"));
}

/** The servers that npx downloaded for the MCP entry, the newest first. */
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
  // Makes the arguments look as if Node had started the program.
  process.argv[1] = program;
  await import(pathToFileURL(program).href);
}
