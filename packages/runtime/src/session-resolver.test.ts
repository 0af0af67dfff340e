import { DEFAULT_LIMITS, isWorkrailError, type SessionId } from "@workrail/core";
import { SequentialIds } from "@workrail/storage-conformance/builders";
import { beforeEach, describe, expect, it } from "vitest";
import { nodeDigests } from "./environment.ts";
import { type ResolvedSession, SessionResolver } from "./session-resolver.ts";

const CONTEXT = { task: "fix the login" };

function aResolver(remembersSessions = true): SessionResolver {
  return new SessionResolver({ digests: nodeDigests, ids: new SequentialIds(), settings: { limits: DEFAULT_LIMITS, remembersSessions } });
}

describe("the session of a save", () => {
  let resolver: SessionResolver;
  const saveTo = (given?: string, workflowId?: string, context: object = CONTEXT): ResolvedSession => {
    const resolved = resolver.forSave(given, workflowId, context);
    resolver.saved(resolved.sessionId, workflowId);
    return resolved;
  };

  beforeEach(() => {
    resolver = aResolver();
  });

  it("is the named one", () => {
    expect(saveTo("mine")).toEqual({ sessionId: "mine", reason: "given" });
    expect(saveTo("other", "workflow")).toEqual({ sessionId: "other", reason: "given" });
  });

  it("is a new one, and then the process's own", () => {
    const first = saveTo();
    expect(first.reason).toBe("fresh");
    expect(saveTo()).toEqual({ sessionId: first.sessionId, reason: "process" });
    expect(saveTo(undefined, undefined, { other: 1 })).toEqual({ sessionId: first.sessionId, reason: "process" });
  });

  it("is the one that was named last, by workflow", () => {
    saveTo("a", "one");
    saveTo("b", "two");
    saveTo("c");
    expect([saveTo(undefined, "one"), saveTo(undefined, "two"), saveTo()].map(({ sessionId }) => sessionId)).toEqual(["a", "b", "c"]);
  });

  it("is derived from the workflow and its first context, alike in every process", () => {
    const first = saveTo(undefined, "workflow");
    expect(first).toEqual({ sessionId: "50044cb6-01c2-896b-ac7f-a6a4beeff581", reason: "derived" });
    expect(saveTo(undefined, "workflow", { later: 1 })).toEqual({ sessionId: first.sessionId, reason: "process" });
    expect(aResolver().forSave(undefined, "workflow", CONTEXT)).toEqual(first);
    expect(aResolver().forSave(undefined, "another", CONTEXT).sessionId).not.toBe(first.sessionId);
    expect(aResolver().forSave(undefined, "workflow", { task: "another" }).sessionId).not.toBe(first.sessionId);
  });

  it("is derived alike for any order of the keys, from any JSON", () => {
    const derived = (context: object): string => aResolver().forSave(undefined, "workflow", context).sessionId;
    expect(derived({ a: 1, b: { c: 2, d: 3 } })).toBe(derived({ b: { d: 3, c: 2 }, a: 1 }));
    expect(derived({ text: "\ud800" })).not.toBe(derived({ text: "\ufffd" }));
    expect(derived({})).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });

  it.each<[string, unknown]>([
    ["nothing", undefined],
    ["a text", "text"],
    ["a list", []],
    ["what JSON cannot hold", { at: new Date() }],
    ["what is nested too deeply", nested(10_000)],
  ])("cannot be derived from %s: that is INVALID_INPUT", (_, context) => {
    expect(codeOf(() => resolver.forSave(undefined, "workflow", context as object))).toBe("INVALID_INPUT");
  });

  it("is refused when it is not an id", () => {
    for (const id of ["", " ", "a\u0007b", "x".repeat(129)])
      expect(codeOf(() => resolver.forSave(id, undefined, CONTEXT))).toBe("INVALID_INPUT");
  });

  it("is the same for simultaneous saves", () => {
    const [one, two] = [resolver.forSave(undefined, undefined, { one: 1 }), resolver.forSave(undefined, undefined, { two: 2 })];
    expect([one.reason, two.reason]).toEqual(["fresh", "process"]);
    expect(two.sessionId).toBe(one.sessionId);
    const [three, four] = [resolver.forSave(undefined, "w", { three: 3 }), resolver.forSave(undefined, "w", { four: 4 })];
    expect(four).toEqual({ sessionId: three.sessionId, reason: "process" });
  });

  it("is not remembered when the save failed", () => {
    const failed = resolver.forSave(undefined, undefined, CONTEXT);
    const alsoFailed = resolver.forSave(undefined, undefined, CONTEXT);
    resolver.notSaved(failed.sessionId, undefined);
    expect(resolver.forSave(undefined, undefined, CONTEXT).sessionId).toBe(failed.sessionId);
    resolver.notSaved(alsoFailed.sessionId, undefined);
    resolver.notSaved(alsoFailed.sessionId, undefined);
    const next = saveTo();
    expect(next.reason).toBe("fresh");
    expect(next.sessionId).not.toBe(failed.sessionId);
  });

  it("is not changed by a failed save to another", () => {
    saveTo("mine");
    resolver.forSave("other", undefined, CONTEXT);
    resolver.notSaved("other" as SessionId, undefined);
    expect(saveTo()).toEqual({ sessionId: "mine", reason: "process" });
  });

  it("is the loaded one, with or without its workflow", () => {
    saveTo("mine");
    resolver.loaded("loaded" as SessionId, "workflow");
    expect([saveTo().sessionId, saveTo(undefined, "workflow").sessionId]).toEqual(["loaded", "loaded"]);
  });
});

describe("the session of a change", () => {
  it("is the named one, or the only one that was used", () => {
    const resolver = aResolver();
    expect(resolver.forChange("mine")).toBe("mine");
    resolver.saved("only" as SessionId, "workflow");
    resolver.saved("only" as SessionId, undefined);
    expect(resolver.forChange(undefined)).toBe("only");
  });

  it("must be named when none or several were used; the last ten are listed", () => {
    const resolver = aResolver();
    expect(refusal(() => resolver.forChange(undefined))).toMatchObject({
      code: "INVALID_INPUT",
      details: { field: "sessionId", sessions: [] },
    });
    const names = Array.from({ length: 12 }, (_, index) => `session-${index}`);
    for (const name of names) resolver.loaded(name as SessionId, undefined);
    resolver.saved("session-5" as SessionId, undefined);
    const expected = [
      "session-2",
      "session-3",
      "session-4",
      "session-6",
      "session-7",
      "session-8",
      "session-9",
      "session-10",
      "session-11",
      "session-5",
    ];
    const error = refusal(() => resolver.forChange(undefined));
    expect(error).toMatchObject({ code: "INVALID_INPUT", details: { field: "sessionId", sessions: expected } });
    expect(error?.message).toContain(expected.join(", "));
  });

  it("is refused when it is not an id", () => {
    expect(codeOf(() => aResolver().forChange("a\u0007b"))).toBe("INVALID_INPUT");
  });
});

function nested(levels: number): object {
  let value: object = {};
  for (let level = 1; level < levels; level++) value = { value };
  return value;
}

function refusal(call: () => unknown): Error | undefined {
  try {
    call();
  } catch (error) {
    if (isWorkrailError(error)) return error;
    throw error;
  }
  return undefined;
}

function codeOf(call: () => unknown): string | undefined {
  const error = refusal(call);
  return isWorkrailError(error) ? error.code : undefined;
}

describe("the session of a save that is not work", () => {
  it("is the named one, or a new one, and affects no later save", () => {
    const resolver = aResolver();
    const work = resolver.forSave("work", undefined, CONTEXT);
    resolver.saved(work.sessionId, undefined);
    expect(resolver.besideWork("shop")).toEqual({ sessionId: "shop", reason: "given" });
    expect(resolver.besideWork(undefined)).toMatchObject({ reason: "fresh" });
    expect(resolver.forSave(undefined, undefined, CONTEXT)).toEqual({ sessionId: "work", reason: "process" });
  });

  it("is, for conversations, derived from the session used last, equally in every process", () => {
    const [resolver, other] = [aResolver(), aResolver()];
    for (const each of [resolver, other]) {
      each.loaded("early" as SessionId, undefined);
      each.loaded("work" as SessionId, undefined);
    }
    const { sessionId, of } = resolver.forConversation();
    expect(of).toBe("work");
    expect(sessionId).not.toBe("work");
    expect(other.forConversation()).toEqual({ sessionId, of });
    other.loaded("early" as SessionId, undefined);
    expect(other.forConversation()).toMatchObject({ of: "early" });
    expect(other.forConversation().sessionId).not.toBe(sessionId);
  });

  it("is, for conversations of a process that has used no session, always the same in it", () => {
    const resolver = aResolver();
    const first = resolver.forConversation();
    expect(first.of).toBeUndefined();
    expect(resolver.forConversation()).toEqual(first);
  });
});

describe("a resolver that remembers nothing", () => {
  it("gives a call without a session none that another call used", () => {
    const resolver = aResolver(false);
    const first = resolver.forSave(undefined, undefined, CONTEXT);
    // Also while the first save is under way.
    const second = resolver.forSave(undefined, undefined, CONTEXT);
    resolver.saved(first.sessionId, undefined);
    resolver.loaded(first.sessionId, "workflow");
    const third = resolver.forSave(undefined, undefined, CONTEXT);
    expect(new Set([first, second, third].map(({ sessionId }) => sessionId)).size).toBe(3);
    expect(third.reason).toBe("fresh");
    expect(resolver.forPatch(undefined, "workflow")).toBeUndefined();
    expect(resolver.forAside(undefined)).toBeUndefined();
    expect(resolver.forConversation()).toEqual({ sessionId: undefined, of: undefined });
    expect(() => resolver.forChange(undefined)).toThrow("sessionId is missing, and no session is in use.");
  });

  it("takes a session that is named, and derives one from the workflow and its first context", () => {
    const resolver = aResolver(false);
    expect(resolver.forSave("mine", undefined, CONTEXT)).toEqual({ sessionId: "mine", reason: "given" });
    expect(resolver.forChange("mine")).toBe("mine");
    expect(resolver.forSave(undefined, "workflow", CONTEXT)).toEqual(aResolver().forSave(undefined, "workflow", CONTEXT));
  });
});
