import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import process from "node:process";
import { openWorkrail } from "@workrail/runtime";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bundleServer } from "./testing/bundle.ts";
import { ServerProcess, TestHome } from "./testing/server-process.ts";
import { IS_LONG } from "../../../packages/storage-conformance/test/long-form.ts";

/** Isolation as set by the environment, the command line, or the file in the data directory. */
interface Given {
  readonly env?: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
  readonly config?: string;
}

type Case = readonly [string, Given];

/** Every degree is read from every place by the same code. The short form takes each degree, and each place, at least once. */
const OWN_FIRST: readonly Case[] = [
  ["nothing is said", {}],
  ...longOnly(["the environment says own-first", { env: { WORKRAIL_ISOLATION: "own-first" } }]),
];
const OFF: readonly Case[] = [
  ["the environment", { env: { WORKRAIL_ISOLATION: "off" } }],
  ...longOnly(["the command line", { args: ["--isolation=off"] }], ["config.json", { config: '{ "isolation": "off" }' }]),
];
const STRICT: readonly Case[] = [
  ...longOnly(["the environment", { env: { WORKRAIL_ISOLATION: "strict" } }]),
  ["the command line", { args: ["--isolation=strict"] }],
  ["config.json", { config: '{ "isolation": "strict" }' }],
];

function longOnly(...cases: readonly Case[]): readonly Case[] {
  return IS_LONG ? cases : [];
}

/** A store that two projects share; the data of the other project is newer. */
class Shared {
  readonly home: TestHome;
  readonly other: string;
  readonly #given: Given;

  constructor(home: TestHome, other: TestHome, given: Given) {
    this.home = home;
    this.other = other.project;
    this.#given = given;
  }

  async prepare(): Promise<void> {
    for (const [name, project] of [
      ["own", this.home.project],
      ["other", this.other],
    ] as const) {
      await using store = await openWorkrail({ dataDir: this.home.dataDir, project, env: {} });
      await store.saveCheckpoint({ sessionId: name, checkpointId: `in-${name}`, context: { goal: "mend the weathervane" } });
    }
  }

  /** Gives the store the file of settings that is given, or none. */
  configure(): void {
    const file = path.join(this.home.dataDir, "config.json");
    if (this.#given.config === undefined) fs.rmSync(file, { force: true });
    else fs.writeFileSync(file, this.#given.config);
  }

  server(): Promise<ServerProcess> {
    const { env = {}, args = [] } = this.#given;
    return ServerProcess.start({ home: this.home, env, args });
  }

  /** Returns the output of a CLI command with `--json`, run in the own project. */
  async command<T>(...args: readonly string[]): Promise<T> {
    const { status, stdout, stderr } = await this.run(...args);
    if (status !== 0 || stderr !== "") throw new Error(`${args.join(" ")} ended with ${status}: ${stderr}`);
    return JSON.parse(stdout) as T;
  }

  async run(...args: readonly string[]): Promise<{ readonly status: number | null; readonly stdout: string; readonly stderr: string }> {
    const launcher = path.join(await bundleServer(), "workrail-mcp.mjs");
    const env = { PATH: process.env["PATH"], WORKRAIL_DATA_DIR: this.home.dataDir, ...this.#given.env };
    const all = [launcher, ...args, "--json", ...(this.#given.args ?? [])];
    return spawnSync(process.execPath, all, { cwd: this.home.project, env, encoding: "utf8" });
  }
}

/** One store for all tests, which only read. */
let home: TestHome;
let other: TestHome;

beforeAll(async () => {
  home = await TestHome.create();
  other = await TestHome.create();
  await new Shared(home, other, {}).prepare();
});

afterAll(async () => {
  await home[Symbol.asyncDispose]();
  await other[Symbol.asyncDispose]();
});

async function withProjects(given: Given, test: (shared: Shared) => Promise<void>): Promise<void> {
  const shared = new Shared(home, other, given);
  shared.configure();
  await test(shared);
}

function ids(rows: unknown, field: string): readonly unknown[] {
  return (rows as readonly Readonly<Record<string, unknown>>[]).map((row) => row[field]);
}

/** Returns the results of each tool without a named project, in order. */
async function findByTools(server: ServerProcess): Promise<Readonly<Record<string, readonly unknown[]>>> {
  const found = (await server.ok("checkpoint_search", { query: "weathervane" }))["results"] as readonly { readonly checkpoint: object }[];
  return {
    workflow_checkpoint_list: ids((await server.ok("workflow_checkpoint_list"))["checkpoints"], "sessionId"),
    "workflow_resume, a hint": ids((await server.ok("workflow_resume", { hint: "weathervane" }))["candidates"], "sessionId"),
    workflow_resume: ids((await server.ok("workflow_resume"))["candidates"], "sessionId"),
    checkpoint_list: ids((await server.ok("checkpoint_list"))["checkpoints"], "id"),
    checkpoint_search: ids(
      found.map(({ checkpoint }) => checkpoint),
      "id",
    ),
  };
}

/** Returns the results of a search by a command, which differ between all three degrees of isolation. */
async function findBySearch(shared: Shared): Promise<readonly unknown[]> {
  const { hits } = await shared.command<{ readonly hits: readonly { readonly checkpoint: unknown }[] }>("search", "weathervane");
  return ids(
    hits.map(({ checkpoint }) => checkpoint),
    "sessionId",
  );
}

/** Returns the results of the other commands without a named project, in order. */
async function listByCommands(shared: Shared): Promise<Readonly<Record<string, readonly unknown[]>>> {
  const { checkpoints } = await shared.command<{ readonly checkpoints: unknown }>("list");
  const { sessions } = await shared.command<{ readonly sessions: unknown }>("sessions");
  return {
    list: ids(checkpoints, "sessionId"),
    sessions: ids(sessions, "id"),
  };
}

describe("tools and commands in a store that projects share", () => {
  it.each(OWN_FIRST)("show the own project first, and list it alone, when %s", (_, given) =>
    withProjects(given, async (shared) => {
      await using server = await shared.server();
      expect(await findByTools(server)).toEqual({
        workflow_checkpoint_list: ["own"],
        "workflow_resume, a hint": ["own", "other"],
        workflow_resume: ["own"],
        checkpoint_list: ["in-own", "in-other"],
        checkpoint_search: ["in-own", "in-other"],
      });
      expect(await findBySearch(shared)).toEqual(["own", "other"]);
    }),
  );

  it.each(OFF)("prefer no project when %s has isolation off", (_, given) =>
    withProjects(given, async (shared) => {
      await using server = await shared.server();
      expect(await findByTools(server)).toEqual({
        workflow_checkpoint_list: ["other", "own"],
        "workflow_resume, a hint": ["other", "own"],
        workflow_resume: ["other", "own"],
        checkpoint_list: ["in-other", "in-own"],
        checkpoint_search: ["in-other", "in-own"],
      });
      expect(await findBySearch(shared)).toEqual(["other", "own"]);
    }),
  );

  it.each(STRICT)("show no other project when %s has isolation strict, unless it is asked for", (_, given) =>
    withProjects(given, async (shared) => {
      await using server = await shared.server();
      expect(await findByTools(server)).toEqual({
        workflow_checkpoint_list: ["own"],
        "workflow_resume, a hint": ["own"],
        workflow_resume: ["own"],
        checkpoint_list: ["in-own"],
        checkpoint_search: ["in-own"],
      });
      expect(await findBySearch(shared)).toEqual(["own"]);
      // By its id, its session, or its path.
      expect(await server.ok("workflow_checkpoint_load", { checkpointId: "in-other" })).toMatchObject({ sessionId: "other" });
      expect(await server.ok("checkpoint_get", { id: "in-other" })).toMatchObject({ project_path: shared.other });
      expect(await server.ok("checkpoint_list", { project_path: shared.other })).toMatchObject({ total: 1 });
      expect(await server.ok("workflow_checkpoint_list", { sessionId: "other" })).toMatchObject({ total: 1 });
    }),
  );

  it.each([
    ["own-first", ["own"]],
    ["off", ["other", "own"]],
    ["strict", ["own"]],
  ] as const)("list as asked in each command when the environment says %s", (isolation, expected) =>
    withProjects({ env: { WORKRAIL_ISOLATION: isolation } }, async (shared) => {
      expect(await listByCommands(shared)).toEqual({ list: expected, sessions: expected });
    }),
  );

  it("answer about another project by commands when isolation is strict and its session is named, and never about all projects", () =>
    withProjects({ env: { WORKRAIL_ISOLATION: "strict" } }, async (shared) => {
      expect(await shared.command("list", "--session", "other")).toMatchObject({ total: 1 });
      for (const command of ["list", "sessions", "stats"]) {
        const { status, stderr } = await shared.run(command, "--all-projects");
        expect({ command, status, error: JSON.parse(stderr) as unknown }).toMatchObject({
          status: 2,
          error: { error: { code: "INVALID_INPUT", details: { field: "project" } } },
        });
      }
    }));

  it("show nothing by default when isolation is strict and they run in no project", () =>
    withProjects({}, async (shared) => {
      await using server = await ServerProcess.start({
        home: shared.home,
        env: { WORKRAIL_ISOLATION: "strict", HOME: shared.home.project, USERPROFILE: shared.home.project },
      });
      expect((await server.fails("workflow_checkpoint_list")).code).toBe("INVALID_INPUT");
      const { _meta: meta } = await server.call("checkpoint_list");
      expect(meta).toMatchObject({ code: "VALIDATION_ERROR", details: { field: "project_path" } });
      expect(await server.ok("workflow_resume", { hint: "weathervane" })).toMatchObject({ status: "CANDIDATES", candidates: [] });
    }));
});
