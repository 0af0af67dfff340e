import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { CheckpointMetadata } from "@workrail/runtime";
import { describe, expect, it } from "vitest";
import { listColumns } from "../commands/list.ts";
import { renderTable } from "../render-table.ts";

const EXPECTED = fileURLToPath(new URL("expected-widths", import.meta.url));
const NOW = new Date("2026-01-31T12:00:00.000Z");
const WIDE = /\p{Emoji_Presentation}|[\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\uff00-\uff60]/u;

const SESSIONS = ["login-redirect", "a-session-whose-name-says-much-more-than-fits-into-a-table", "注文の割引を直す", "x"];
const NAMES = [
  "plan",
  "the redirect loop was reproduced with an expired cookie and a second tab that was open meanwhile",
  "割引クーポンの計算が丸めの前に行われるように直した",
  "빌드가 다시 통과함 ✅ 🎉",
  "cafe\u0301 menu: e\u0301tape 3, pre\u0301parer la de\u0301mo",
  undefined,
];

/** Returns varied checkpoints; every other one has an id with the same beginning. */
function aCheckpoint(index: number): CheckpointMetadata {
  const digits = (index * 2_654_435_761).toString(16).padStart(12, "0").slice(-12);
  const id = index % 2 === 0 ? `${digits.slice(0, 8)}-0a1b-4c2d-8e3f-${digits}` : `5eed5eed-${digits.slice(0, 4)}-4c2d-8e3f-${digits}`;
  const tags = index % 5 === 0 ? ["draft", "needs review"] : undefined;
  return {
    id,
    sessionId: SESSIONS[index % SESSIONS.length] ?? "x",
    name: NAMES[index % NAMES.length],
    tags,
    project: index % 7 === 0 ? "/home/ada/projects/webshop" : "/home/ada/projects/mail",
    createdAt: new Date(NOW.getTime() - index ** 2 * 1_000).toISOString(),
    contextSizeBytes: 300 + index * 977,
    damaged: index % 97 === 96 ? true : undefined,
  } as CheckpointMetadata;
}

describe.each([40, 80, 120])("list at %i columns", (width) => {
  it.each([12, 1_000])("lays out %i rows as in its golden file", async (count) => {
    const rows = Array.from({ length: count }, (_, index) => aCheckpoint(index));
    const { header, lines, leftOut } = renderTable(listColumns(rows, { now: NOW, width }), rows, width);
    for (const line of [header, ...lines]) expect(widthOf(line), line).toBeLessThanOrEqual(width);
    const leftOutLine = leftOut.length === 0 ? [] : [`(no room for ${leftOut.join(", ")})`];
    const text = `${[header, ...lines, ...leftOutLine].join("\n")}\n`;
    await expect(text).toMatchFileSnapshot(join(EXPECTED, `list-${width}-columns-${count}-rows.txt`));
  });

  it("shows the age and the name of every checkpoint", () => {
    const rows = Array.from({ length: 200 }, (_, index) => ({ ...aCheckpoint(index), name: `n${index}` }));
    const { header, lines } = renderTable(listColumns(rows, { now: NOW, width }), rows, width);
    const text = lines.join("\n");
    expect(header).toContain("AGE");
    expect(width < 60 ? text : header).toContain("NAME");
    for (const { name } of rows) expect(text).toMatch(new RegExp(`\\b${name}\\b`, "u"));
  });
});

/** Measures the width independently of the program's own code. */
function widthOf(text: string): number {
  const graphemes = [...new Intl.Segmenter(undefined, { granularity: "grapheme" }).segment(text)];
  return graphemes.reduce((sum, { segment }) => sum + (WIDE.test(segment) ? 2 : 1), 0);
}
