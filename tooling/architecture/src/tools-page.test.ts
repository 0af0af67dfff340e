import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TranscriptFiles } from "@workrail/core";
import { openWorkrail, type Workrail } from "@workrail/runtime";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { callTool, type CallResult } from "../../../apps/mcp-server/src/call-tool.ts";
import { LazyStore } from "../../../apps/mcp-server/src/lazy-store.ts";
import { listTool, toObjectSchema } from "../../../apps/mcp-server/src/tool-listing.ts";
import { createTools } from "../../../apps/mcp-server/src/tools/index.ts";
import { blocksOf, plain, readPage, sectionOf, tableOf } from "./markdown.ts";

const page = readPage("docs/reference/tools.md");
let store: Workrail | undefined;
const tools = createTools(new LazyStore(async () => store ?? Promise.reject(new Error("The store is not open yet."))));

interface Schema {
  readonly type?: string;
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxItems?: number;
  readonly maxLength?: number;
}

interface Field {
  readonly name: string;
  readonly type: string;
  readonly isRequired: boolean;
  readonly schema: Schema;
}

describe("docs/reference/tools.md", () => {
  it("names every tool, and no other", () => {
    const named = tableOf(page.text).map(([link]) => /^\[`(\w+)`\]/.exec(link ?? "")?.[1]);
    expect(named).toEqual(tools.map((tool) => tool.name));
  });

  describe.each(tools.map((tool) => [tool.name, tool] as const))("%s", (name, tool) => {
    it.each([
      ["Input", toObjectSchema(tool.input, "input")],
      ["Output", toObjectSchema(tool.output, "output")],
    ] as const)("%s has every field, and no other, with its type and limits", (side, schema) => {
      const rows = tableOf(sectionOf(page, `### ${side} of ${name}`));
      const fields = fieldsOf(schema);
      expect(rows.map(([field, type, required]) => [plain(field), type, required])).toEqual(
        fields.map(({ name, type, isRequired }) => [name, type, isRequired ? "yes" : "no"]),
      );
      for (const [index, { schema }] of fields.entries()) {
        const told = (rows[index]?.[3] ?? "").replaceAll(",", "");
        for (const value of valuesOf(schema)) expect(told, rows[index]?.[0]).toContain(String(value));
      }
    });

    it("marks the parameters that are not listed to models", () => {
      const rows = tableOf(sectionOf(page, `### Input of ${name}`)).filter(([field]) => !plain(field ?? "").includes("."));
      const marked = rows.filter(([, , , meaning]) => meaning?.endsWith("_Unlisted._") === true).map(([field]) => plain(field ?? ""));
      const listed = Object.keys(listTool(tool).inputSchema.properties ?? {});
      expect(marked).toEqual(Object.keys(tool.input.shape).filter((field) => !listed.includes(field)));
    });
  });
});

/** Returns fields, parents before children: `session`, `session.id`, `checkpoints[].createdAt`. */
function fieldsOf(schema: Schema, prefix = ""): readonly Field[] {
  return Object.entries(schema.properties ?? {}).flatMap(([key, property]) => {
    const name = prefix + key;
    const type = property.type ?? property.anyOf?.map((each) => each.type).join(" or ") ?? "any";
    const isRequired = schema.required?.includes(key) ?? false;
    const inside = property.items === undefined ? fieldsOf(property, `${name}.`) : fieldsOf(property.items, `${name}[].`);
    return [{ name, type, isRequired, schema: property }, ...inside];
  });
}

/** Returns the values that a reader must know: choices and bounds. */
function valuesOf({ minimum, maximum, maxItems, maxLength, enum: choices = [] }: Schema): readonly (string | number)[] {
  return [minimum, maximum, maxItems, maxLength, ...choices].filter((value) => value !== undefined);
}

describe("the examples of docs/reference/tools.md", () => {
  let dataDir: string;
  /** Directory in place of the page's project, which must exist for a save. */
  let project: string;

  beforeAll(async () => {
    dataDir = mkdtempSync(join(tmpdir(), "workrail-tools-page-"));
    project = mkdtempSync(join(tmpdir(), "workrail-tools-project-"));
    store = await openWorkrail({ dataDir, env: {}, project, adapters: { transcripts } });
  });

  afterAll(async () => {
    await store?.close();
    for (const directory of [dataDir, project]) rmSync(directory, { recursive: true, force: true });
  });

  it("equal the answers of the tools in sequence", async () => {
    const blocks = blocksOf(page.text).filter(({ mark }) => mark !== undefined);
    for (let index = 0; index < blocks.length; index += 2) {
      const [, name] = blocks[index]?.mark?.split(" ") ?? [];
      const tool = tools.find((candidate) => candidate.name === name);
      if (tool === undefined) throw new Error(`There is no tool for: ${blocks[index]?.mark}`);
      const call = { client: { name: "my-client", version: "1" }, signal: new AbortController().signal, progress: () => {}, rounded: [] };
      const given = (blocks[index]?.text ?? "").replaceAll(JSON.stringify(PROJECT), JSON.stringify(project));
      const answer = JSON.stringify(await callTool(tool, JSON.parse(given), { call, log: silent, tools }));
      const result = JSON.parse(answer.replaceAll(JSON.stringify(project), JSON.stringify(PROJECT))) as CallResult;
      const told = JSON.parse(blocks[index + 1]?.text ?? "") as unknown;
      const isFailure = blocks[index + 1]?.mark === "failure";
      expect(withoutChance(isFailure ? result : result.structuredContent)).toEqual(withoutChance(told));
    }
    expect(blocks).toHaveLength(26);
  });
});

const PROJECT = "/home/ada/shop";

/** Reports the project of the examples, which does not exist on disk. */
const transcripts: TranscriptFiles = {
  async write({ folders, names }) {
    const [filename = ""] = names;
    return { file: ["/home/ada/shop", ...folders, filename].join("/"), filename, isInProject: true };
  },
};

const silent = { debug: ignore, info: ignore, warn: ignore, error: ignore };

function ignore(): void {}

/** Replaces values that differ between runs: ids, times, sizes that depend on them, and scores, which change with better ranking. */
function withoutChance(value: unknown): unknown {
  const text = JSON.stringify(value)
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/g, "a-uuid")
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "a-time")
    .replaceAll(/sessions\/\d{4}-\d\d-\d\d/g, "sessions/a-day")
    .replaceAll(/session-\d{8}-\d{6}/g, "session-a-stamp")
    .replaceAll(/"(sizeBytes|contextSizeBytes)":\d+/g, '"$1":0')
    .replaceAll(/"(score|distance)":0\.\d+/g, '"$1":0');
  return JSON.parse(text) as unknown;
}
