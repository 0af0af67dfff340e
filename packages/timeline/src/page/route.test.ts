import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hrefOf, parseRoute, type Route, TABS } from "./route.ts";
import { anyCharacter } from "../../../storage-conformance/test/any-character.ts";

describe("the address of a screen", () => {
  it("leads back to the same screen, for any ids", () => {
    const id = fc.string({ minLength: 1, unit: anyCharacter }).filter((text) => text.isWellFormed());
    const screen = fc.record({
      sessionId: id,
      checkpointId: id,
      tab: fc.constantFrom(...TABS),
      baseId: fc.option(id, { nil: undefined }),
    });
    fc.assert(
      fc.property(screen, (route: Route) => {
        expect(parseRoute(hrefOf(route))).toEqual(route);
      }),
    );
    fc.assert(
      fc.property(
        fc.array(id, { minLength: 1 }),
        fc.option(id, { nil: undefined }),
        fc.option(fc.nat(), { nil: undefined }),
        (words, key, at) => {
          const route: Route = { sessionId: "s", checkpointId: "c", tab: "context", sought: { words, key, at } };
          expect(parseRoute(hrefOf(route))).toEqual(route);
        },
      ),
    );
    for (const route of [
      {},
      { screen: "storage" },
      { screen: "activity" },
      { screen: "growth", sessionId: "a/b" },
      { sessionId: "a", tab: "resume" },
    ] as const) {
      expect(parseRoute(hrefOf(route))).toEqual(route);
    }
  });

  it("is the list of sessions when it cannot be parsed", () => {
    expect(["#", "#/", "#/nonsense", "#/s/", "#token=x"].map(parseRoute)).toEqual([{}, {}, {}, {}, {}]);
    expect(parseRoute("#/s/%E0%A4%A")).toMatchObject({ sessionId: "%E0%A4%A" });
    expect(parseRoute("#/s/a/b/context?find=x&at=-1").sought).toEqual({ words: ["x"] });
  });
});
