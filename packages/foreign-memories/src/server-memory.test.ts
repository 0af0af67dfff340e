import { spawnSync } from "node:child_process";
import { readFileSync, symlinkSync, truncateSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { fixture, latestContext, makeFolder, readAll } from "../test/in-folder.ts";

describe("server-memory", () => {
  let made = makeFolder();
  let file = "";
  beforeEach(() => {
    made = makeFolder();
    file = join(made.folder, "memory.jsonl");
  });
  afterEach(() => made.remove());

  const write = (...lines: readonly (object | string)[]): void =>
    writeFileSync(file, lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line))).join("\n"));

  it("is one checkpoint of the program's data, as old as the file", async () => {
    writeFileSync(file, fixture("server-memory-2026.8.31.jsonl"));
    const changed = new Date("2026-01-31T12:00:00.000Z");
    utimesSync(file, changed, changed);
    const { sessions, skipped } = await readAll("server-memory", file);
    expect(skipped).toEqual([]);
    expect(sessions).toMatchObject([
      {
        createdAt: changed,
        writer: "server-memory",
        checkpoints: [{ createdAt: changed, parentId: null, kind: "workflow", tags: ["server-memory"], attributes: { file } }],
      },
    ]);
    expect(latestContext(sessions[0])).toEqual({
      shop: {
        entityType: "project",
        observations: ["uses pnpm", "deploys on Fridays — never on Mondays"],
        relations: { "has part": ["checkout"] },
      },
      checkout: {
        entityType: "component",
        observations: ["the cart is lost after the login", 'ääö "quoted"\nsecond line'],
        relations: { "keeps carts in": ["redis"] },
      },
    });
  });

  it("has the same ids for the same content, whatever the file's date", async () => {
    writeFileSync(file, fixture("server-memory-2026.8.31.jsonl"));
    const [before] = (await readAll("server-memory", file)).sessions;
    utimesSync(file, new Date(0), new Date(0));
    const [touched] = (await readAll("server-memory", file)).sessions;
    write({ type: "entity", name: "a", entityType: "b", observations: [] });
    const [changed] = (await readAll("server-memory", file)).sessions;
    const idsOf = (session = before) => [session?.id, ...[...(session?.checkpoints ?? [])].map(({ id }) => id)];
    expect(idsOf(touched)).toEqual(idsOf(before));
    expect(idsOf(changed)[0]).toBe(idsOf(before)[0]);
    expect(idsOf(changed)[1]).not.toBe(idsOf(before)[1]);
  });

  it("numbers many entities of one name in little time", { timeout: 20_000 }, async () => {
    const count = 100_000;
    const line = JSON.stringify({ type: "entity", name: "a" });
    writeFileSync(file, [`{"type":"entity","name":"a (3)"}`, ...Array<string>(count).fill(line)].join("\n"));
    const [session] = (await readAll("server-memory", file)).sessions;
    const keys = Object.keys(latestContext(session) ?? {});
    expect([keys.length, ...keys.slice(0, 4), keys.at(-1)]).toEqual([count + 1, "a (3)", "a", "a (2)", "a (4)", `a (${count + 1})`]);
  });

  it("names every invalid line, and takes the others", async () => {
    const deep = `{"type":"entity","name":"deep","observations":${"[".repeat(50_000)}${"]".repeat(50_000)}}`;
    write('{"type":"entity","name":"cut', "[]", "", { type: "note", name: "x" }, { type: "entity" }, { type: "relation", from: "a" }, deep);
    const good = Buffer.from('\n{"type":"entity","name":"good","observations":["o"]}\n');
    const bytes = Buffer.concat([readFileSync(file), Buffer.from([0x0a, 0xff]), good]);
    writeFileSync(file, bytes);
    const { sessions, skipped } = await readAll("server-memory", file);
    expect(skipped).toEqual([
      `${file}:1: it is not a JSON object`,
      `${file}:2: it is not a JSON object`,
      `${file}:4: it is neither an entity nor a relation`,
      `${file}:5: it is an entity without a name`,
      `${file}:6: it is a relation without an end`,
      `${file}:7: it is not a JSON object`,
      `${file}:8: it is not UTF-8`,
    ]);
    expect(latestContext(sessions[0])).toEqual({ good: { observations: ["o"] } });
  });

  it("keeps entities with equal names, relations without an entity, unknown fields and names such as __proto__", async () => {
    write(
      { type: "entity", name: "relations", entityType: "a", observations: [], relations: "own", createdAt: "2026" },
      { type: "entity", name: "relations", entityType: "b", observations: [] },
      '{"type":"entity","name":"__proto__","observations":["p"]}',
      { type: "relation", from: "relations", to: "x", relationType: "r" },
      { type: "relation", from: "relations", to: "y", relationType: "r" },
      { type: "relation", from: "relations", to: "z", relationType: "r", since: 2025 },
      { type: "relation", from: "relations", to: "x" },
      { type: "relation", from: "nowhere", to: "x", relationType: "r" },
    );
    const context = latestContext((await readAll("server-memory", file)).sessions[0]);
    expect(JSON.stringify(context)).toBe(
      JSON.stringify({
        relations: {
          entityType: "a",
          observations: [],
          relations: "own",
          createdAt: "2026",
          "relations (2)": { r: ["x", "y", { relationType: "r", to: "z", since: 2025 }], "": [{ relationType: null, to: "x" }] },
        },
        "relations (2)": { entityType: "b", observations: [] },
        ["__proto__"]: { observations: ["p"] },
        "relations (3)": [{ from: "nowhere", to: "x", relationType: "r" }],
      }),
    );
  });

  it("refuses a file with mostly invalid lines", async () => {
    write(...Array<string>(1_001).fill("no JSON"));
    await expect(readAll("server-memory", file)).rejects.toMatchObject({
      code: "INVALID_INPUT",
      message: expect.stringContaining("1000 of its lines"),
    });
  });

  it.skipIf(process.platform === "win32")("follows a link that leads to the file", async () => {
    writeFileSync(join(made.folder, "real.jsonl"), fixture("server-memory-2026.8.31.jsonl"));
    symlinkSync("real.jsonl", file);
    expect((await readAll("server-memory", file)).sessions).toHaveLength(1);
  });

  it("refuses other files and folders", async () => {
    await expect(readAll("server-memory", file)).rejects.toMatchObject({
      code: "INVALID_INPUT",
      message: `${file} cannot be read: it does not exist.`,
    });
    await expect(readAll("server-memory", made.folder)).rejects.toMatchObject({ code: "INVALID_INPUT" });
    writeFileSync(file, "");
    truncateSync(file, 65 * 1024 * 1024);
    await expect(readAll("server-memory", file)).rejects.toMatchObject({ message: `${file} cannot be read: it is too large.` });
    writeFileSync(file, "\n");
    expect(await readAll("server-memory", file)).toEqual({ sessions: [], skipped: [`${file}: it holds no entities and no relations`] });
  });

  it.skipIf(process.platform === "win32")("does not wait for a pipe", async () => {
    spawnSync("mkfifo", [file]);
    await expect(readAll("server-memory", file)).rejects.toMatchObject({ message: `${file} cannot be read: it is not a regular file.` });
  });
});
