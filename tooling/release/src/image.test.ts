import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chownSync, mkdirSync, mkdtempSync, realpathSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import process from "node:process";
import { createInterface } from "node:readline";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { readImage } from "./image.ts";
import { pack } from "./pack.ts";
import { publicPackages } from "./public-packages.ts";
import { run } from "./run.ts";

/** The image's user `node`; a process can become another user only as root. */
const USER = process.getuid?.() === 0 && canRunNodeAs(1_000) ? { uid: 1_000, gid: 1_000 } : {};

const hasNpm = spawnSync("npm", ["--version"]).status === 0;

// Windows has neither the image's directories nor signals.
describe.skipIf(process.platform === "win32" || !hasNpm)(
  "the entry point of the image, in directories laid out as in it (skipped without npm)",
  () => {
    const image = readImage();
    let root: string;
    let data: string;
    const started: ChildProcess[] = [];

    beforeAll(async () => {
      root = realpathSync(mkdtempSync(join(tmpdir(), "workrail-image-")));
      data = join(root, image.volume);
      mkdirSync(data, { mode: 0o700 });
      for (const folder of [root, data]) if (USER.uid !== undefined) chownSync(folder, USER.uid, USER.gid);
      const server = publicPackages().find(({ name }) => name === "@workrail/mcp-server");
      if (server === undefined) throw new Error("There is no package @workrail/mcp-server.");
      const tarball = (await pack([server], root)).get(server.name) ?? "";
      // Without the network, and so without the optional keychain.
      const offline = ["--offline", "--omit=optional", `--cache=${join(root, "cache")}`, `--prefix=${join(root, "usr", "local")}`];
      const { code, output } = await run("npm", ["install", ...image.installArgs, ...offline, tarball], { cwd: root });
      if (code !== 0) throw new Error(`The package cannot be installed: ${output}`);
    });

    afterEach(() => {
      for (const child of started.splice(0)) child.kill("SIGKILL");
    });

    afterAll(() => {
      rmSync(root, { recursive: true, force: true, maxRetries: 3 });
    });

    /** Starts the entry point as the image's user, with `/data` in the temporary directory. */
    function spawnEntryPoint(...args: string[]): ChildProcess {
      const [program, ...fixed] = image.entrypoint;
      const path = [join(root, "usr", "local", "bin"), dirname(process.execPath), process.env["PATH"] ?? ""].join(delimiter);
      const env = Object.entries(image.env).map(([name, value]) => [name, value === image.volume ? data : value]);
      const child = spawn(program, [...fixed, ...args], {
        cwd: image.workdir,
        env: { PATH: path, HOME: root, ...Object.fromEntries(env) },
        stdio: ["pipe", "pipe", "pipe"],
        ...USER,
      });
      started.push(child);
      return child;
    }

    const start = (...args: string[]): Running => new Running(spawnEntryPoint(...args));

    it("saves into the volume as its owner, and ends when its input does", async () => {
      const server = start();
      expect(await server.initialize()).toMatchObject({ serverInfo: { name: "workrail" } });
      expect(await server.call("workflow_checkpoint_save", { sessionId: "s", context: { goal: "sail" } })).toMatchObject({
        durability: "disk",
      });
      server.child.stdin?.end();
      expect(await server.exit()).toEqual({ code: 0, signal: null });
      const { uid, mode } = statSync(join(data, "workrail.db"));
      expect({ uid, mode: mode & 0o777 }).toEqual({ uid: USER.uid ?? process.getuid?.(), mode: 0o600 });
    });

    it("answers running calls at SIGTERM, exits with 0, and finds their saves at the next start", async () => {
      const server = start();
      await server.initialize();
      const calls = Array.from({ length: 10 }, (_, n) => server.call("workflow_checkpoint_save", { sessionId: `t${n}`, context: { n } }));
      await calls[0];
      server.child.kill("SIGTERM");
      const saved = (await Promise.all(calls)).map(({ sessionId }) => sessionId);
      expect(await server.exit()).toEqual({ code: 0, signal: null });
      const next = start();
      await next.initialize();
      for (const sessionId of saved) expect(await next.call("workflow_checkpoint_load", { sessionId })).toMatchObject({ sessionId });
    });

    it("serves over HTTP with the arguments of the page, and ends with 0 at SIGTERM", async () => {
      const tokens = join(data, "tokens.json");
      const created = spawnEntryPoint("token", "create", "t", "--scopes=read", `--http-token-file=${tokens}`);
      expect(await once(created, "close")).toEqual([0, null]);
      const server = start("--http", "0.0.0.0:0", "--http-token-file", tokens);
      const url = await server.says(/serves (http\S+)\n/u);
      expect((await fetch(new URL("/readyz", url.replace("0.0.0.0", "127.0.0.1")))).status).toBe(200);
      server.child.kill("SIGTERM");
      expect(await server.exit()).toEqual({ code: 0, signal: null });
    });
  },
);

/** The program in a process, with requests on its input. */
class Running {
  readonly child: ChildProcess;
  readonly #answers = new Map<number, (answer: Answer) => void>();
  readonly #exit: Promise<unknown[]>;
  #lastId = 0;
  #stderr = "";

  constructor(child: ChildProcess) {
    this.child = child;
    this.#exit = once(child, "close");
    child.stderr?.setEncoding("utf8").on("data", (chunk: string) => (this.#stderr += chunk));
    if (child.stdout !== null) createInterface({ input: child.stdout }).on("line", (line) => this.#receive(JSON.parse(line) as Answer));
  }

  async initialize(): Promise<Fields> {
    const clientInfo = { name: "test", version: "0" };
    return this.#request("initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo });
  }

  /** Calls a tool that must succeed. */
  async call(name: string, given: Fields): Promise<Fields> {
    const { structuredContent, ...rest } = await this.#request("tools/call", { name, arguments: given });
    if (structuredContent === undefined) throw new Error(JSON.stringify(rest));
    return structuredContent as Fields;
  }

  /** Resolves to the first group of a pattern in the standard error. */
  async says(pattern: RegExp): Promise<string> {
    for (;;) {
      const [, found] = pattern.exec(this.#stderr) ?? [];
      if (found !== undefined) return found;
      await once(this.child.stderr ?? this.child, "data");
    }
  }

  async exit(): Promise<{ readonly code: unknown; readonly signal: unknown }> {
    const [code, signal] = await this.#exit;
    return { code, signal };
  }

  #receive(answer: Answer): void {
    this.#answers.get(answer.id)?.(answer);
  }

  async #request(method: string, params: Fields): Promise<Fields> {
    this.#lastId += 1;
    const id = this.#lastId;
    const answered = new Promise<Answer>((resolve) => this.#answers.set(id, resolve));
    const gone = this.#exit.then(() => Promise.reject(new Error(`It ended before it answered: ${this.#stderr}`)));
    this.child.stdin?.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    return (await Promise.race([answered, gone])).result;
  }
}

type Fields = Readonly<Record<string, unknown>>;

interface Answer {
  readonly id: number;
  readonly result: Fields;
}

function canRunNodeAs(uid: number): boolean {
  return spawnSync(process.execPath, ["--eval", ""], { uid, gid: uid, cwd: "/" }).status === 0;
}
