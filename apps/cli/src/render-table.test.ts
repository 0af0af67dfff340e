import { describe, expect, it } from "vitest";
import { type Column, renderTable } from "./render-table.ts";
import { cutText, textWidth } from "./text-width.ts";

interface Row {
  readonly id: string;
  readonly size: string;
  readonly name: string;
  readonly tags: string;
}

const COLUMNS: readonly Column<Row>[] = [
  { title: "ID", cell: ({ id }) => id },
  { title: "SIZE", align: "right", cell: ({ size }) => size },
  { title: "NAME", leastWidth: 6, cell: ({ name }) => name },
  { title: "TAGS", leastWidth: 4, cell: ({ tags }) => tags },
];

const ROWS: readonly Row[] = [
  { id: "one", size: "9 B", name: "a rather long name", tags: "x" },
  { id: "twenty-two", size: "12 KiB", name: "日本語", tags: "draft, hot" },
];

function draw(most: number, rows: readonly Row[] = ROWS): string {
  const { header, lines, leftOut } = renderTable(COLUMNS, rows, most);
  return [header, ...lines, `left out: ${leftOut.join(", ")}`].join("\n");
}

describe("renderTable", () => {
  it("shows everything when there is room", () => {
    expect(`\n${draw(Number.POSITIVE_INFINITY)}`).toBe(`
ID            SIZE  NAME                TAGS
one            9 B  a rather long name  x
twenty-two  12 KiB  日本語              draft, hot
left out: `);
  });

  it("cuts the widest first", () => {
    expect(`\n${draw(40)}`).toBe(`
ID            SIZE  NAME       TAGS
one            9 B  a rather…  x
twenty-two  12 KiB  日本語     draft, h…
left out: `);
  });

  it("cuts ids and session names first, and columns that stay last", () => {
    const columns = COLUMNS.map((column) => {
      if (column.title === "ID") return { ...column, leastWidth: 5, cutFirst: true as const };
      return column.title === "NAME" ? { ...column, stays: true as const } : column;
    });
    const rows = ROWS.map((row) => ({ ...row, id: `${row.id} and so on and on`, name: row.name.repeat(3) }));
    const { header, lines } = renderTable(columns, rows, 80);
    expect(`\n${[header, ...lines].join("\n")}`).toBe(`
ID       SIZE  NAME                                                    TAGS
one …     9 B  a rather long namea rather long namea rather long name  x
twen…  12 KiB  日本語日本語日本語                                      draft, h…`);
  });

  it("leaves out columns from the last, never those that stay", () => {
    const columns = [...COLUMNS, { title: "WHY", leastWidth: 8, stays: true as const, cell: () => "because it is so" }];
    const rows = ROWS.map((row) => ({ ...row, id: row.id.padEnd(46, "x") }));
    const { header, leftOut } = renderTable(columns, rows, 64);
    expect(header).toBe(`ID${" ".repeat(46)}  SIZE  WHY`);
    expect(leftOut).toEqual(["NAME", "TAGS"]);
  });

  it("shows each row as a few lines in a narrow terminal, and leaves out nothing", () => {
    expect(`\n${draw(28)}`).toBe(`
ID            SIZE
one            9 B
  NAME  a rather long name
  TAGS  x
twenty-two  12 KiB
  NAME  日本語
  TAGS  draft, hot
left out: `);
  });

  it("shows the end of a text whose end is the most telling part", () => {
    const columns = COLUMNS.map((column) => (column.title === "NAME" ? { ...column, keepsEnd: true as const } : column));
    expect(renderTable(columns, ROWS, 40).lines[0]).toBe("one            9 B  …ong name  x");
  });

  it("is never wider than the terminal, as long as ids fit", () => {
    for (let most = 18; most < 60; most += 1) {
      const { header, lines } = renderTable(COLUMNS, ROWS, most);
      for (const line of [header, ...lines]) expect(textWidth(line)).toBeLessThanOrEqual(most);
    }
  });

  it("leaves out a column without information", () => {
    expect(draw(80, [{ id: "one", size: "9 B", name: "", tags: "x" }])).toBe("ID   SIZE  TAGS\none   9 B  x\nleft out: ");
  });
});

describe("textWidth", () => {
  it.each([
    ["plain", 5],
    ["é", 1],
    ["e\u0301", 1],
    ["日本", 4],
    ["👩‍👩‍👧", 2],
    ["❤️", 2],
    ["クーポン", 8],
    ["각각", 4],
    ["𠀀", 2],
    ["🇩🇪", 2],
    ["a\u200bb", 2],
    ["\u0301", 0],
    ["", 0],
  ])("%s takes %i", (text, width) => {
    expect(textWidth(text)).toBe(width);
  });
});

describe("cutText", () => {
  it("cuts between grapheme clusters", () => {
    expect(cutText("日本語", 6)).toBe("日本語");
    expect(cutText("日本語", 5)).toBe("日本…");
    expect(cutText("日本語", 4)).toBe("日…");
    expect(cutText("a👩‍👩‍👧b", 3)).toBe("a…");
    expect(cutText("abc", 1)).toBe("…");
  });
});
