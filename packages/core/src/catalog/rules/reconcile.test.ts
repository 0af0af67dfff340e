import { expect, it } from "vitest";
import type { CheckpointId } from "../../model/ids.ts";
import { RuleCatalog, S } from "../../../test/rule-catalog.ts";
import { changed } from "../rows.ts";
import { reconcile } from "./reconcile.ts";

it("corrects sums that differ from the records, and adds edges that records name", () => {
  const catalog = new RuleCatalog();
  catalog.saved("a", { baseId: "b" as CheckpointId });
  const session = catalog.ask({ of: "session", id: S });
  const wrong = session && { ...session, checkpointCount: 7, totalBytes: 1 };
  catalog.tables.apply({ rows: [changed("session", session, wrong)], audit: [] });
  expect(catalog.change(reconcile())).toEqual({ sums: [S], edges: [{ dependent: "a", base: "b" }] });
  expect(catalog.ask({ of: "session", id: S })).toEqual(session);
  expect(catalog.change(reconcile())).toEqual({ sums: [], edges: [] });
});
