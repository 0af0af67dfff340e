import type { Context, JsonObject } from "@workrail/core";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ProjectDraft } from "./project-draft.ts";
import { contextOfDraft, textOfProject, type ProjectText, readAsProject } from "./read-as-project.ts";

function read(context: object, given: { readonly name?: string; readonly labels?: object } = {}): ProjectText {
  return readAsProject({
    kind: "workflow",
    name: given.name,
    context: context as Context,
    labels: (given.labels ?? {}) as JsonObject,
  });
}

describe("a project checkpoint", () => {
  it("is read back unchanged", () => {
    const scalar = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null));
    const draft = fc.record(
      { summary: fc.string({ minLength: 1 }), description: fc.string(), context: fc.dictionary(fc.string(), scalar) },
      { requiredKeys: ["summary"] },
    );
    fc.assert(
      fc.property(draft, (given: ProjectDraft) => {
        const context = JSON.parse(JSON.stringify(contextOfDraft(given))) as Context;
        const { summary, description = "", context: pairs = {} } = given;
        const expected = { summary, description, isCut: false, context: JSON.parse(JSON.stringify(pairs)) as object, isContextCut: false };
        expect(readAsProject({ kind: "project", name: summary, context, labels: { sessionId: "s" } })).toEqual(expected);
      }),
    );
  });

  it("keeps the order of its context's keys, and keys of the object prototype", () => {
    const context = JSON.parse('{"z": 1, "__proto__": "p", "a": 2}') as ProjectDraft["context"];
    const read = readAsProject({ kind: "project", name: "s", context: contextOfDraft({ summary: "s", context }), labels: {} });
    expect(JSON.stringify(read.context)).toBe('{"z":1,"__proto__":"p","a":2}');
  });
});

describe("the summary of another tool's checkpoint", () => {
  it.for<[string, object, string | undefined, string]>([
    ["its name", { goal: "Fix the login" }, "Before the refactoring", "Before the refactoring"],
    ["else what the context says it is about", { plan: ["a"], userGoal: "Fix the login" }, undefined, "Fix the login"],
    ["the summary before the goal, the goal before the task", { task: "t", goal: "g", lastSummary: "s" }, undefined, "s"],
    ["else its first text, however deep", { n: 1, steps: [{ done: false }, { what: "Look", why: "Leap" }] }, undefined, "Look"],
    ["in one line", { goal: "  Fix\n\tthe   login " }, undefined, "Fix the login"],
    ["or that there is none", { n: 1, goal: "  " }, undefined, "(no summary)"],
  ])("is %s", ([, context, name, summary]) => {
    expect(read(context, name === undefined ? {} : { name }).summary).toBe(summary);
  });

  it("has at most 500 characters", () => {
    expect(read({ goal: "x".repeat(500) }).summary).toBe("x".repeat(500));
    expect(read({ goal: "x".repeat(501) }).summary).toBe(`${"x".repeat(497)}...`);
  });

  it("is found at the bottom of the deepest allowed context", () => {
    let deep: object = { text: "found" };
    for (let level = 0; level < 125; level++) deep = [deep];
    expect(read({ deep }).summary).toBe("found");
  });
});

describe("the description of another tool's checkpoint", () => {
  it("is the first 10,000 characters of its context as JSON", () => {
    expect(read({ goal: "g", plan: [1] })).toMatchObject({ description: '{"goal":"g","plan":[1]}', isCut: false });
    const long = read({ text: "x".repeat(10_000) });
    expect(long.isCut).toBe(true);
    expect(long.description).toHaveLength(10_000);
  });

  it("is JSON also for a project checkpoint without the form of a draft", () => {
    const context = { summary: "s", files: ["a.ts"] };
    expect(readAsProject({ kind: "project", name: undefined, context, labels: {} })).toMatchObject({
      summary: "s",
      description: '{"summary":"s","files":["a.ts"]}',
    });
  });
});

describe("the context of another tool's checkpoint", () => {
  it("consists of the labels that a project checkpoint's context can hold", () => {
    const labels = { sessionId: "s", ticket: 7, notes: ["a"], long: "x".repeat(501), ["k".repeat(51)]: "v" };
    expect(read({}, { labels }).context).toEqual({ sessionId: "s", ticket: 7 });
    const many = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`k${index}`, index]));
    expect(Object.keys(read({}, { labels: many }).context)).toHaveLength(50);
  });
});

describe("the text that tokens are counted of", () => {
  it("is the whole content of a checkpoint, one item per line", () => {
    const draft = { summary: "Login", description: "JWT.\nDone.", context: { branch: "auth", tries: 2 }, tags: ["auth", "security"] };
    expect(textOfProject(draft)).toBe("Login\nJWT.\nDone.\nbranch: auth\ntries: 2\nauth, security");
    expect(textOfProject({ summary: "Login" })).toBe("Login");
  });
});
