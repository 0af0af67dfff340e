import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CHECKPOINT_KINDS } from "@workrail/core";
import { EXPORT_FORMAT, EXPORT_VERSION } from "@workrail/transfer";
import { openWorkrail, type Workrail } from "@workrail/runtime";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { blocksOf, plain, readPage, sectionOf, tableOf } from "./markdown.ts";

const page = readPage("docs/reference/export-format.md");
const members = sectionOf(page, "## Members");
const example = blocksOf(page.text)[0]?.text ?? "";

type Exported = Record<string, unknown> & { readonly session: object; readonly checkpoints: readonly object[] };

describe("docs/reference/export-format.md", () => {
  let folder: string;
  let store: Workrail;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "workrail-page-"));
    store = await openWorkrail({ dataDir: join(folder, "data"), project: "/p" });
  });

  afterAll(async () => {
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it("shows an example that can be imported, and is exported the same", async () => {
    const file = join(folder, "example.json");
    writeFileSync(file, example);
    expect(await store.importFile(file)).toMatchObject({ sessionId: "login-fix", added: 1 });
    expect(await exported("login-fix")).toEqual(JSON.parse(example));
  });

  it("names every member, and which of them may be missing", async () => {
    const metadata = { name: "n", tags: ["t"], attributes: { more: 1 } };
    await store.saveCheckpoint({ sessionId: "s", context: { a: 1 }, metadata, workflowId: "w", agentId: "a" });
    await store.saveCheckpoint({ sessionId: "bare", context: {} });
    const full = await exported("s");
    expect(rows(0).map(([field]) => field)).toEqual([...Object.keys(full), "unreadable"]);
    expect(rows(1).map(([field]) => field)).toEqual(Object.keys(full.session));
    const told = rows(2);
    expect(told.map(([field]) => field)).toEqual(Object.keys(full.checkpoints[0] ?? {}));
    const optional = told.filter(([, , mayBeMissing]) => mayBeMissing === "yes").map(([field]) => field);
    // Earlier versions wrote no layers, and a person who edits an export may leave out the check.
    const always = told.map(([field]) => field).filter((field) => !optional.includes(field));
    expect(always).toEqual(
      Object.keys((await exported("bare")).checkpoints[0] ?? {}).filter((field) => !["project", "layers", "check"].includes(field)),
    );
  });

  it("says the format, its version and every kind", () => {
    expect(page.text).toContain(`\nVersion ${EXPORT_VERSION}.\n`);
    expect(rows(0).map(([, , meaning]) => meaning)).toEqual(
      expect.arrayContaining([`always \`${EXPORT_FORMAT}\``, String(EXPORT_VERSION)]),
    );
    for (const kind of CHECKPOINT_KINDS) expect(members).toContain(`\`${kind}\``);
  });

  async function exported(sessionId: string): Promise<Exported> {
    const { file } = await store.exportSession(sessionId);
    return JSON.parse(readFileSync(file, "utf8")) as Exported;
  }
});

/** Returns the cells of a table, by its number in the section on members. */
function rows(number: number): readonly (readonly string[])[] {
  const table = members.split(/\n\n(?=\|)/)[number + 1] ?? "";
  return tableOf(table).map((cells) => cells.map(plain));
}
