import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makeFolder } from "../test/in-folder.ts";
import { findForeignMemory } from "./find-foreign-memory.ts";
import type { ForeignMemory } from "./foreign-memory.ts";

describe("the usual places", () => {
  let made = makeFolder();
  beforeEach(() => {
    made = makeFolder();
  });
  afterEach(() => made.remove());

  const at = (...names: readonly string[]): string => join(made.folder, ...names);
  const write = (file: string, text = ""): string => {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    return file;
  };
  const find = (source: ForeignMemory, env: Record<string, string> = {}) => findForeignMemory(source, { env, home: made.folder });

  it("are the home directory's, or the variable's, for mcp-memory-keeper", () => {
    const file = write(at("mcp-data", "memory-keeper", "context.db"));
    const other = write(at("other", "context.db"));
    expect(find("mcp-memory-keeper")).toEqual([file]);
    expect(find("mcp-memory-keeper", { DATA_DIR: at("other") })).toEqual([other]);
  });

  it("are next to the code that npx installed, or the variable's, for server-memory", () => {
    const dist = (name: string): string => at(".npm", "_npx", name, "node_modules", "@modelcontextprotocol", "server-memory", "dist");
    const first = write(join(dist("a"), "memory.jsonl"));
    write(join(dist("a"), "memory.json"));
    const older = write(join(dist("b"), "memory.json"));
    const relative = write(join(dist("b"), "mine.jsonl"));
    const absolute = write(at("mine.jsonl"));
    expect(find("server-memory")).toEqual([first, older]);
    expect(find("server-memory", { npm_config_cache: at(".npm") })).toEqual([first, older]);
    expect(find("server-memory", { MEMORY_FILE_PATH: absolute })).toEqual([absolute]);
    expect(find("server-memory", { MEMORY_FILE_PATH: "mine.jsonl" })).toEqual([relative]);
  });

  it("are the configured projects for Basic Memory, or its usual folder", () => {
    for (const name of ["basic-memory", "work", "old", "moved"]) mkdirSync(at(name));
    expect(find("basic-memory")).toEqual([at("basic-memory")]);
    const projects = { main: "~/basic-memory", work: { path: at("work") }, old: at("old"), gone: at("gone"), odd: 7 };
    write(at(".basic-memory", "config.json"), JSON.stringify({ projects }));
    expect(find("basic-memory")).toEqual([at("basic-memory"), at("work"), at("old")]);
    expect(find("basic-memory", { BASIC_MEMORY_HOME: at("moved") })).toEqual([at("moved"), at("work"), at("old")]);
    write(at(".basic-memory", "config.json"), "{");
    expect(() => find("basic-memory")).toThrow("its configuration is not JSON");
  });

  it("are named when no data exists", () => {
    expect(() => find("mcp-memory-keeper")).toThrow(
      expect.objectContaining({ code: "INVALID_INPUT", hint: expect.stringContaining(at("mcp-data", "memory-keeper", "context.db")) }),
    );
    expect(() => find("server-memory")).toThrow("Nothing of server-memory was found.");
  });
});
