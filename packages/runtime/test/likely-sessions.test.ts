import { describe, expect, it } from "vitest";
import { KINDS, refusalOf } from "./stores.ts";

describe.each(KINDS)("an unknown session in a store of $kind", ({ at }) => {
  it.each([
    ["login-redirct", ["login-redirect"]],
    ["LOGIN", ["login-redirect"]],
    ["let customers", ["5f0c7b1e-4d3a-4a53-9c1f-0123456789ab"]],
    ["5f0c7b1e", ["5f0c7b1e-4d3a-4a53-9c1f-0123456789ab"]],
    ["first pln", ["login-redirect"]],
    ["something else", undefined],
    ["5f0", undefined],
  ])("is answered with likely sessions: %s", (sessionId, expected) =>
    at(async (place) => {
      await using store = await place.open();
      await store.saveCheckpoint({ sessionId: "login-redirect", context: { a: 1 }, metadata: { name: "first plan" } });
      await store.saveCheckpoint({ sessionId: "5f0c7b1e-4d3a-4a53-9c1f-0123456789ab", context: { goal: "let customers use coupons" } });
      for (const call of [
        () => store.loadCheckpoint({ sessionId }),
        () => store.viewCheckpoint({ sessionId }),
        () => store.traceSession({ sessionId }),
        () => store.tagSession({ sessionId, add: ["x"] }),
        () => store.markCritical({ sessionId, contextKey: "goal" }),
        () => store.exportSession(sessionId),
        () => store.erase({ sessionId }),
      ]) {
        const { code, details, hint } = await refusalOf(call());
        expect(code).toBe("SESSION_NOT_FOUND");
        const nearest = details["nearest"] as readonly { readonly sessionId: string }[] | undefined;
        expect(nearest?.map((each) => each.sessionId)).toEqual(expected);
        expect(hint).toMatch(expected === undefined ? /lists all sessions/u : new RegExp(`^Nearest: ${expected[0]} \\("`, "u"));
      }
    }),
  );

  it("is not answered with sessions of other projects when projects are isolated", () =>
    at(async (place) => {
      {
        await using other = await place.open({ project: "/work/a" });
        await other.saveCheckpoint({ sessionId: "login", context: { a: 1 } });
      }
      await using own = await place.open({ project: "/work/b", env: { WORKRAIL_ISOLATION: "strict" } });
      expect((await refusalOf(own.loadCheckpoint({ sessionId: "logn" }))).details).not.toHaveProperty("nearest");
      await own.close();
      await using loose = await place.open({ project: "/work/b" });
      expect((await refusalOf(loose.loadCheckpoint({ sessionId: "logn" }))).details).toHaveProperty("nearest");
    }));
});
