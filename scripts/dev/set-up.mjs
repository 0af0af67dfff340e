// Brings a checkout up to date: installs the dependencies with the pinned pnpm, then builds. Does nothing when nothing changed. All
// messages go to standard error, because standard output belongs to the command that follows.
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { ROOT, runNode, runNpx, runTool, workspaceNode } from "./run.mjs";

const STAMP = join(ROOT, "node_modules", ".workrail-setup.json");
const LOCK = join(ROOT, ".workrail-setup.lock");
const TO_STDERR = ["ignore", 2, 2];
const WORKSPACES = ["packages", "apps", "tooling", "examples"];

/** Installs and builds. Resolves to 0, or to the exit code of the step that failed. */
export async function setUp({ build = true } = {}) {
  if (isCurrent(build)) return 0;
  await takeLock();
  try {
    return (await install()) || (build ? await buildAll() : 0);
  } finally {
    rmSync(LOCK, { force: true });
  }
}

function isCurrent(build) {
  const stamp = readStamp();
  return isInstalled(stamp) && (!build || isBuilt(stamp));
}

function isInstalled(stamp) {
  return workspaceNode() !== undefined && stamp.dependencies === dependenciesDigest();
}

function isBuilt(stamp) {
  return stamp.sources === sourcesDigest() && builtFolders().every((folder) => existsSync(join(folder, "dist")));
}

async function install() {
  if (isInstalled(readStamp())) return 0;
  const pinned = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")).packageManager;
  say(`Installing dependencies with ${pinned} ...`);
  const args = ["install", "--frozen-lockfile", "--prefer-offline", "--reporter=append-only"];
  // Shows npm's own errors, whatever log level the project sets for `npm start`.
  const env = { npm_config_loglevel: "error", npm_config_update_notifier: "false", CI: "true" };
  const code = await runNpx(["--yes", pinned, ...args], { stdio: TO_STDERR, env });
  if (code !== 0) {
    say("Installing failed. If you changed dependencies, run `npx pnpm install` once to update the lockfile.");
    return code;
  }
  writeStamp({ dependencies: dependenciesDigest() });
  return 0;
}

async function buildAll() {
  if (isBuilt(readStamp())) return 0;
  say("Building ...");
  const sources = sourcesDigest();
  const code =
    (await runTool("tsc", ["-b"], { stdio: TO_STDERR })) ||
    (await runNode([join(ROOT, "tooling/bundle/src/build.ts")], { stdio: TO_STDERR }));
  if (code === 0) writeStamp({ ...readStamp(), sources });
  return code;
}

function dependenciesDigest() {
  const manifests = workspaceFolders().map((folder) => join(folder, "package.json"));
  const files = ["package.json", "pnpm-lock.yaml", "pnpm-workspace.yaml"].map((name) => join(ROOT, name));
  return digest([...files, ...manifests], `${process.platform} ${process.arch}`);
}

function sourcesDigest() {
  const configs = ["tsconfig.base.json", "tsconfig.json", "pnpm-lock.yaml"].map((name) => join(ROOT, name));
  return digest([...configs, ...bundledFolders().flatMap(sourceFiles)], "");
}

/** Everything that a bundle is made of or by. Some packages are never built by themselves. */
function bundledFolders() {
  return workspaceFolders().filter((folder) => /^(?:packages|apps|tooling[\\/](?:bundle|programs)$)/.test(relative(ROOT, folder)));
}

function sourceFiles(folder) {
  const own = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(json|ts)$/.test(entry.name))
    .map((entry) => join(folder, entry.name));
  const sources = readdirSync(join(folder, "src"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith(".test.ts"))
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name));
  return [...own, ...sources.toSorted()];
}

function digest(files, salt) {
  const hash = createHash("sha256").update(salt);
  for (const file of files) {
    const bytes = readFileSync(file);
    hash.update(`\0${relative(ROOT, file)}\0${bytes.length}\0`).update(bytes);
  }
  return hash.digest("hex");
}

function workspaceFolders() {
  return WORKSPACES.flatMap((group) => {
    const parent = join(ROOT, group);
    if (!existsSync(parent)) return [];
    const folders = readdirSync(parent)
      .toSorted()
      .map((name) => join(parent, name));
    return folders.filter((folder) => existsSync(join(folder, "package.json")));
  });
}

function builtFolders() {
  return workspaceFolders().filter((folder) =>
    ["tsconfig.build.json", "rolldown.config.ts"].some((name) => existsSync(join(folder, name))),
  );
}

function readStamp() {
  try {
    return JSON.parse(readFileSync(STAMP, "utf8"));
  } catch {
    return {};
  }
}

function writeStamp(stamp) {
  writeFileSync(STAMP, `${JSON.stringify(stamp)}\n`);
}

/** Takes the lock that keeps two commands from installing at the same time. The lock of a dead process is taken over. */
async function takeLock() {
  for (let waited = 0; ; waited += 1) {
    try {
      writeFileSync(LOCK, String(process.pid), { flag: "wx" });
      return;
    } catch (error) {
      // On Windows, a file that is being removed blocks its name for a moment.
      const isGoing = process.platform === "win32" && waited < 50 && ["EPERM", "EBUSY", "EACCES"].includes(error.code);
      if (error.code !== "EEXIST" && !isGoing) throw error;
    }
    if (!isLockHeld()) rmSync(LOCK, { force: true });
    else if (waited === 0) say("Waiting for another set-up in this checkout ...");
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

function isLockHeld() {
  try {
    const pid = Number(readFileSync(LOCK, "utf8"));
    // An empty lock file belongs to a process that has just created it.
    if (pid > 0) process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === "EPERM";
  }
}

function say(text) {
  process.stderr.write(`${text}\n`);
}
