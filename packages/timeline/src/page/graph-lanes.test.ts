import { describe, expect, it } from "vitest";
import { graphLanes } from "./graph-lanes.ts";

describe("the lanes of a graph", () => {
  it("keep a session without forks on one lane", () => {
    const rows = graphLanes([
      { id: "c", parentId: "b" },
      { id: "b", parentId: "a" },
      { id: "a", parentId: null },
    ]);
    expect(rows.map(({ lane, width }) => [lane, width])).toEqual([
      [0, 1],
      [0, 1],
      [0, 1],
    ]);
    expect(rows.map(({ lines }) => lines)).toEqual([
      [{ from: undefined, to: 0, lane: 0 }],
      [{ from: 0, to: 0, lane: 0 }],
      [{ from: 0, to: undefined, lane: 0 }],
    ]);
  });

  it("lead both branches of a fork into their parent, and free the lane", () => {
    const rows = graphLanes([
      { id: "d", parentId: "b" },
      { id: "c", parentId: "b" },
      { id: "b", parentId: "a" },
      { id: "a", parentId: null },
    ]);
    expect(rows.map(({ lane, width }) => [lane, width])).toEqual([
      [0, 1],
      [1, 2],
      [0, 2],
      [0, 1],
    ]);
    expect(rows[2]?.lines).toEqual([
      { from: 0, to: 0, lane: 0 },
      { from: 1, to: undefined, lane: 0 },
    ]);
  });

  it("end a line whose parent is missing", () => {
    const [row] = graphLanes([{ id: "b", parentId: "removed" }]);
    expect(row).toEqual({ lane: 0, lines: [], width: 1 });
  });
});
