import { execFileSync } from "node:child_process";
import {
  chmodSync,
  closeSync,
  cpSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { devNull } from "node:os";
import path from "node:path";
import { listen } from "./listen.ts";

/** Content of files outside of the project. Must appear nowhere. */
const SECRET = "hostile-secret-7d1f";
/** Content of a file of the project. An answer may quote it as the place of a mistake; a log must not. */
export const OWN_WORDS = "hostile-words-5e2c";
/** Texts that must be neither in a log nor in an answer. The second starts `/etc/passwd`, the third is part of an environment. */
export const NEVER_TOLD = [SECRET, "root:x:0", "PATH=/"] as const;

/** Location of a hostile project: a repository with one commit, and a folder outside of it. */
export interface HostilePlace {
  readonly project: string;
  readonly outside: string;
}

type Make = (place: HostilePlace) => void | Promise<void>;

const RULES = path.join(".workrail", "context-rules.json");
const YAML = path.join(".workrail", "context-rules.yaml");
const HEAD = path.join(".git", "HEAD");
const MAIN = path.join(".git", "refs", "heads", "main");
const CONFIG = path.join(".git", "config");
const HUGE = 8 * 2 ** 30;
const DEEP = 120_000;

/** Hostile changes to a project that others work in, each tested on its own. */
export const HOSTILE_PROJECTS: Readonly<Record<string, Make>> = {
  "rules that are a pipe": (at) => pipe(inside(at, RULES)),
  "rules that link to a pipe": (at) => link(at, RULES, piped(at)),
  "rules that link to /dev/zero": (at) => link(at, RULES, "/dev/zero"),
  "rules that link to /dev/urandom": (at) => link(at, YAML, "/dev/urandom"),
  "rules that link to /dev/ptmx": (at) => link(at, RULES, "/dev/ptmx"),
  "rules that link to /dev/tty": (at) => link(at, RULES, "/dev/tty"),
  "rules that link to standard input": (at) => link(at, RULES, "/dev/stdin"),
  "rules that link to a descriptor": (at) => link(at, YAML, "/proc/self/fd/0"),
  "rules that link to /etc/passwd": (at) => link(at, RULES, "/etc/passwd"),
  "rules in YAML that link to /etc/passwd": (at) => link(at, YAML, "/etc/passwd"),
  "rules that link to the environment": (at) => link(at, RULES, "/proc/self/environ"),
  "rules that link to the kernel's log": (at) => link(at, RULES, "/proc/kmsg"),
  "rules that link to themselves": (at) => link(at, RULES, "context-rules.json"),
  "rules that link in a circle": (at) => {
    link(at, RULES, "context-rules.yaml");
    link(at, YAML, "context-rules.json");
  },
  "rules that link to a secret by a relative path": (at) => link(at, RULES, "../../outside/secret.json"),
  "rules that link out by a link inside": (at) => {
    symlinkSync(at.outside, inside(at, "vendor"));
    link(at, RULES, "../vendor/secret.json");
  },
  "rules that are a directory": (at) => void mkdirSync(inside(at, RULES), { recursive: true }),
  "rules that are a socket": (at) => listen(inside(at, RULES)),
  "rules that claim to have gigabytes": (at) => sparse(inside(at, RULES)),
  "rules in YAML that claim to have gigabytes": (at) => sparse(inside(at, YAML)),
  "rules that nobody may read": (at) => chmodSync(write(at, RULES, SECRET), 0o000),
  "rules that are no JSON": (at) => void write(at, RULES, `${SECRET} is not JSON`),
  "rules that are no YAML": (at) => void write(at, YAML, `layers: [\n${SECRET}: {`),
  "rules with a mistake": (at) => void write(at, YAML, `layers: { ${OWN_WORDS}: [a] }`),
  "rules that are nested very deeply": (at) => void write(at, RULES, "[".repeat(DEEP)),
  "rules in YAML that are nested very deeply": (at) => void write(at, YAML, "[".repeat(DEEP)),
  "rules in YAML that unfold": (at) => void write(at, YAML, unfolding()),
  "rules that are no text": (at) => void write(at, YAML, Buffer.from(Array.from({ length: 5_000 }, (_, n) => (n * 131) % 256))),
  "a folder of rules that links out": (at) => symlinkSync(at.outside, inside(at, ".workrail")),
  "a folder of rules that is a pipe": (at) => pipe(inside(at, ".workrail")),
  "a folder of rules that links to itself": (at) => symlinkSync(".workrail", inside(at, ".workrail")),
  "a folder of rules that links to /proc/self": (at) => symlinkSync("/proc/self", inside(at, ".workrail")),
  ".git that is a pipe": (at) => pipe(replaced(at, ".git")),
  ".git that links to a pipe": (at) => link(at, ".git", piped(at)),
  ".git that links to /dev/zero": (at) => link(at, ".git", "/dev/zero"),
  ".git that links to another repository": (at) => {
    cpSync(inside(at, ".git"), path.join(at.outside, "git"), { recursive: true });
    writeFileSync(path.join(at.outside, "git", "HEAD"), `ref: refs/heads/${SECRET}\n`);
    link(at, ".git", path.join(at.outside, "git"));
  },
  ".git that names a pipe": (at) => void write(at, ".git", `gitdir: ${piped(at)}\n`),
  ".git that names itself": (at) => void write(at, ".git", "gitdir: .git\n"),
  ".git that names another machine": (at) => void write(at, ".git", "gitdir: //127.0.0.1/share/git\n"),
  ".git that names a directory of devices": (at) => void write(at, ".git", "gitdir: /dev\n"),
  ".git that claims to have gigabytes": (at) => sparse(replaced(at, ".git")),
  "a common directory that names itself": (at) => {
    mkdirSync(path.join(at.outside, "loop"));
    writeFileSync(path.join(at.outside, "loop", "HEAD"), "ref: refs/heads/main\n");
    writeFileSync(path.join(at.outside, "loop", "commondir"), "../loop\n");
    write(at, ".git", `gitdir: ${path.join(at.outside, "loop")}\n`);
  },
  "a HEAD that is a pipe": (at) => pipe(replaced(at, HEAD)),
  "a HEAD that links to /dev/zero": (at) => link(at, HEAD, "/dev/zero"),
  "a HEAD that links to /etc/passwd": (at) => link(at, HEAD, "/etc/passwd"),
  "a HEAD that names itself": (at) => void write(at, HEAD, "ref: HEAD\n"),
  "a HEAD that leads out": (at) => void write(at, HEAD, "ref: refs/heads/../../../../outside/secret.json\n"),
  "a branch that is a pipe": (at) => pipe(replaced(at, MAIN)),
  "a branch that names itself": (at) => void write(at, MAIN, "ref: refs/heads/main\n"),
  "branches that link out": (at) => link(at, path.join(".git", "refs"), at.outside),
  "packed refs that are a pipe": (at) => {
    rmSync(inside(at, MAIN));
    pipe(replaced(at, path.join(".git", "packed-refs")));
  },
  "a configuration of git that is a pipe": (at) => pipe(replaced(at, CONFIG)),
  "a configuration of git that claims to have gigabytes": (at) => sparse(replaced(at, CONFIG)),
  "a configuration of git that is long": (at) => void write(at, CONFIG, '[a "b"]\n\tc = "\\"d"\n'.repeat(200_000)),
  "an index that is a pipe": (at) => pipe(replaced(at, path.join(".git", "index"))),
  "objects that link out": (at) => link(at, path.join(".git", "objects"), "/proc/self"),
  "a manifest that is a pipe": (at) => pipe(inside(at, "package.json")),
  "a manifest that links to /dev/zero": (at) => symlinkSync("/dev/zero", inside(at, "Makefile")),
  "a file of the work that is a pipe": (at) => pipe(replaced(at, "src/a.ts")),
  "a file of the work that links to /dev/zero": (at) => link(at, "src/a.ts", "/dev/zero"),
  "a file of the work below a link that leads out": (at) => link(at, "src", at.outside),
  "a file of the work that claims to have gigabytes": (at) => sparse(replaced(at, "src/a.ts")),
};

/** Creates the location. The project has one commit with the file `src/a.ts`. */
export async function makeHostile(root: string, make: Make): Promise<HostilePlace> {
  const place = { project: path.join(root, "project"), outside: path.join(root, "outside") };
  mkdirSync(path.join(place.project, "src"), { recursive: true });
  mkdirSync(place.outside);
  writeFileSync(path.join(place.outside, "secret.json"), JSON.stringify({ layers: { [SECRET]: [] } }));
  writeFileSync(path.join(place.outside, "context-rules.json"), `${SECRET} is not JSON`);
  writeFileSync(path.join(place.outside, "a.ts"), SECRET);
  writeFileSync(path.join(place.project, "src", "a.ts"), "a\n");
  // The index holds the time, and git and the programs take a file with another time for changed.
  utimesSync(path.join(place.project, "src", "a.ts"), WRITTEN_AT, WRITTEN_AT);
  addRepository(place.project);
  await make(place);
  return place;
}

const WRITTEN_AT = new Date("2024-01-01T00:00:00Z");
/** Folders, and files with their content. */
let repository: readonly (readonly [string, Uint8Array | undefined])[] | undefined;

/** Commits the only file of a project: git does so once in a process, and later projects get copies of its files. */
function addRepository(project: string): void {
  const folder = path.join(project, ".git");
  if (repository !== undefined) {
    mkdirSync(folder);
    for (const [name, content] of repository) {
      if (content === undefined) mkdirSync(path.join(folder, name));
      else writeFileSync(path.join(folder, name), content);
    }
    return;
  }
  for (const args of [
    ["init", "-q", "-b", "main"],
    ["add", "-A"],
    ["commit", "-q", "-m", "first"],
  ])
    git(project, args);
  repository = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .toSorted()
    .map((name) => [name, statSync(path.join(folder, name)).isFile() ? readFileSync(path.join(folder, name)) : undefined] as const);
}

function git(directory: string, args: readonly string[]): void {
  const own = Object.entries(process.env).filter(([name]) => !/^GIT_/iu.test(name));
  const who = { NAME: "A", EMAIL: "a@example.com" };
  const author = Object.entries(who).flatMap(([name, value]) => ["AUTHOR", "COMMITTER"].map((role) => [`GIT_${role}_${name}`, value]));
  const env = { ...Object.fromEntries([...own, ...author]), GIT_CONFIG_GLOBAL: devNull, GIT_CONFIG_NOSYSTEM: "1" };
  execFileSync("git", args, { cwd: directory, env, stdio: "ignore" });
}

function inside({ project }: HostilePlace, name: string): string {
  const file = path.join(project, name);
  mkdirSync(path.dirname(file), { recursive: true });
  return file;
}

function replaced(at: HostilePlace, name: string): string {
  rmSync(inside(at, name), { recursive: true, force: true });
  return inside(at, name);
}

function write(at: HostilePlace, name: string, content: string | Uint8Array): string {
  const file = replaced(at, name);
  writeFileSync(file, content);
  return file;
}

function link(at: HostilePlace, name: string, target: string): void {
  symlinkSync(target, replaced(at, name));
}

function pipe(file: string): void {
  execFileSync("mkfifo", [file]);
}

function piped({ outside }: HostilePlace): string {
  const file = path.join(outside, "pipe");
  pipe(file);
  return file;
}

/** Creates a large file that takes no room on disk. */
function sparse(file: string): void {
  const fd = openSync(file, "w");
  ftruncateSync(fd, HUGE);
  closeSync(fd);
}

function unfolding(): string {
  const levels = Array.from({ length: 30 }, (_, n) => `l${n + 1}: &l${n + 1} [${Array(9).fill(`*l${n}`).join(", ")}]`);
  return ["l0: &l0 [x, x]", ...levels].join("\n");
}
