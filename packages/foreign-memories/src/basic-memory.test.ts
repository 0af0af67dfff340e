import { mkdirSync, rmSync, symlinkSync, truncateSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { latestContext, makeFolder, readAll } from "../test/in-folder.ts";

const NOTE =
  "---\ntitle: Cart design\ntype: note\ntags: [cart]\npermalink: specs/cart-design\n---\n\n# Cart design\n\n- [decision] Carts stay in Redis #cart\n- implements [[Checkout]]\n";
const OLD = new Date("2026-01-31T12:00:00.000Z");

describe("basic-memory", () => {
  let made = makeFolder();
  beforeEach(() => {
    made = makeFolder();
    mkdirSync(join(made.folder, "specs"));
  });
  afterEach(() => made.remove());

  const write = (name: string, text: string | Uint8Array = NOTE, date = OLD): void => {
    writeFileSync(join(made.folder, name), text);
    utimesSync(join(made.folder, name), date, date);
  };

  it("has a session for each folder with notes, each note whole under its name", async () => {
    write("Inbox.md", "\uFEFFa\r\nb");
    write("specs/Cart design.md");
    write("specs/checkout.markdown", "# Checkout", new Date("2026-03-01T00:00:00.000Z"));
    utimesSync(join(made.folder, "specs"), OLD, OLD);
    const { sessions, skipped } = await readAll("basic-memory", made.folder);
    expect(skipped).toEqual([]);
    expect(sessions.map(({ name, createdAt }) => [name, createdAt])).toEqual([
      [expect.stringMatching(/^foreign-memories-/u), OLD],
      ["specs", OLD],
    ]);
    expect(latestContext(sessions[0])).toMatchObject({ Inbox: "a\r\nb" });
    expect([...(sessions[1]?.checkpoints ?? [])]).toMatchObject([{ createdAt: new Date("2026-03-01T00:00:00.000Z"), parentId: null }]);
    expect(latestContext(sessions[1])).toEqual({
      "Cart design": NOTE,
      checkout: "# Checkout",
      "basic-memory": {
        folder: "specs",
        notes: {
          "Cart design": { file: "Cart design.md", modifiedAt: "2026-01-31T12:00:00.000Z" },
          checkout: { file: "checkout.markdown", modifiedAt: "2026-03-01T00:00:00.000Z" },
        },
      },
    });
  });

  it("has the same ids for the same notes, and a later checkpoint after one is removed", async () => {
    write("specs/a.md");
    write("specs/b.md");
    utimesSync(join(made.folder, "specs"), OLD, OLD);
    const read = async () => [...((await readAll("basic-memory", made.folder)).sessions[0]?.checkpoints ?? [])][0];
    const before = await read();
    expect(await read()).toEqual(before);
    rmSync(join(made.folder, "specs", "b.md"));
    const after = await read();
    expect(after?.id).not.toBe(before?.id);
    expect(after?.createdAt.getTime()).toBeGreaterThan(OLD.getTime());
  });

  it("names files that it cannot import, and skips hidden ones", async () => {
    write("a.md");
    write("a.MD", "the same name");
    write("picture.png");
    write("latin.md", new Uint8Array([0xe4]));
    write("huge.md", "");
    truncateSync(join(made.folder, "huge.md"), 9 * 1024 * 1024);
    for (const name of [".obsidian", "node_modules"]) mkdirSync(join(made.folder, name));
    write(".obsidian/hidden.md");
    write("node_modules/readme.md");
    symlinkSync(join(made.folder, "a.md"), join(made.folder, "link.md"));
    const { sessions, skipped } = await readAll("basic-memory", made.folder);
    expect(skipped.toSorted()).toEqual(
      ["huge.md: it is too large", "latin.md: it is not UTF-8", "link.md: it is not a note", "picture.png: it is not a note"].map((line) =>
        join(made.folder, line),
      ),
    );
    expect(Object.keys(latestContext(sessions[0]) ?? {})).toContain("a");
  });

  it("refuses a path that is no folder, and names a folder without notes", async () => {
    await expect(readAll("basic-memory", join(made.folder, "none"))).rejects.toMatchObject({
      code: "INVALID_INPUT",
      message: expect.stringContaining("does not exist"),
    });
    write("a.md");
    await expect(readAll("basic-memory", join(made.folder, "a.md"))).rejects.toMatchObject({
      message: expect.stringContaining("it is not a folder"),
    });
    rmSync(join(made.folder, "a.md"));
    expect(await readAll("basic-memory", made.folder)).toEqual({ sessions: [], skipped: [`${made.folder}: it holds no notes`] });
  });

  it("stops at folders that are nested too deep", async () => {
    mkdirSync(join(made.folder, ...Array<string>(40).fill("d")), { recursive: true });
    await expect(readAll("basic-memory", made.folder)).rejects.toMatchObject({ message: expect.stringContaining("too many files") });
  });
});
