import { describe, expect, it } from "vitest";
import { drawGraph } from "./draw-graph.ts";

/** Draws `child>parent` pairs, the newest first. */
function drawn(...pairs: readonly string[]): readonly string[] {
  const nodes = pairs.map((pair) => {
    const [id = "", parentId] = pair.split(">");
    return { id, parentId: parentId ?? null };
  });
  return drawGraph(nodes).flatMap(({ joint, prefix }, index) => [...(joint === undefined ? [] : [joint]), `${prefix} ${nodes[index]?.id}`]);
}

describe("the graph of a session", () => {
  it("is one line without forks", () => expect(drawn("c>b", "b>a", "a")).toEqual(["● c", "● b", "● a"]));

  it("has a column per branch, and joins them at the fork", () => {
    expect(drawn("d>b", "c>b", "b>a", "a")).toEqual(["● d", "│ ● c", "├─╯", "● b", "● a"]);
    expect(drawn("e>a", "d>b", "c>a", "b>a", "a")).toEqual(["● e", "│ ● d", "│ │ ● c", "│ ● │ b", "├─┴─╯", "● a"]);
    expect(drawn("e>a", "d>b", "c>a", "b", "a")).toEqual(["● e", "│ ● d", "│ │ ● c", "│ ● │ b", "├───╯", "● a"]);
  });

  it("crosses branches that continue", () =>
    expect(drawn("f>a", "e>b", "d>a", "c>b", "b>a", "a")).toEqual([
      "● f",
      "│ ● e",
      "│ │ ● d",
      "│ │ │ ● c",
      "│ ├─┼─╯",
      "│ ● │ b",
      "├─┴─╯",
      "● a",
    ]));

  it("ends a branch whose parent is missing, and frees its column", () =>
    expect(drawn("d>c", "c>gone", "b>a", "a")).toEqual(["● d", "● c", "● b", "● a"]));

  it("is empty for no checkpoints", () => expect(drawn()).toEqual([]));
});
