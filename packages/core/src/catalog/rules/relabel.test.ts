import { expect, it } from "vitest";
import { RuleCatalog, S, T } from "../testing/rule-catalog.ts";
import { relabel } from "./relabel.ts";

it("adds labels behind the others, once, and removes labels", () => {
  const catalog = new RuleCatalog();
  catalog.saved("a", {}, { session: { createdAt: new Date(0), tags: [], pins: ["x", "y"] } });
  catalog.change(relabel({ sessionId: S, labels: "pins", add: ["z", "x"], remove: ["y", "unknown"] }));
  expect(catalog.ask({ of: "session", id: S })?.pins).toEqual(["x", "z"]);
  expect(catalog.facts.get(S)?.pins).toEqual(["x", "z"]);
});

it("skips an unknown session", () => {
  const catalog = new RuleCatalog();
  catalog.change(relabel({ sessionId: T, labels: "tags", add: ["x"], remove: [] }));
  expect([catalog.ask({ of: "session", id: T }), catalog.facts.size]).toEqual([undefined, 0]);
});
