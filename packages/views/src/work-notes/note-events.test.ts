import type { TranscriptEvent } from "@workrail/core";
import { describe, expect, it } from "vitest";
import * as fc from "fast-check";
import { briefContextOfNotes, contextOfNotes } from "./context-of-notes.ts";
import { wordClassifier } from "@workrail/classifier";
import { LAYERS_OF_NOTES } from "./layers-of-notes.ts";
import { isUnfinished } from "./is-unfinished.ts";
import { noteEvents } from "./note-events.ts";
import { MOST_NOTED, NO_NOTES, type WorkNotes } from "./work-notes.ts";

const notesOf = (...events: TranscriptEvent[]): WorkNotes => noteEvents(NO_NOTES, events);
const call = (id: string, tool: string, input: object): TranscriptEvent => ({ kind: "call", id, tool, input: input as never });
const result = (id: string, text: string, more: object = {}): TranscriptEvent => ({ kind: "result", id, text, ...more });
interface Output {
  readonly text?: string;
  readonly failed?: boolean;
  readonly exitCode?: number;
}

const run = (id: string, command: string, { text = "", ...more }: Output = {}): TranscriptEvent[] => [
  call(id, "Bash", { command }),
  result(id, text, more),
];

describe("noteEvents", () => {
  it("notes the user's prohibitions and demands, verbatim and once", () => {
    const prompt = "Make the login redirect work.\nNever touch src/legacy. Please run the tests before you say that it is done.";
    const { prohibitions, requirements, prompts } = notesOf({ kind: "prompt", text: prompt }, { kind: "prompt", text: prompt });
    expect(prohibitions).toEqual(["Never touch src/legacy."]);
    expect(requirements).toEqual(["Please run the tests before you say that it is done."]);
    expect(prompts).toHaveLength(2);
  });

  it("does not take lines of a pasted log for demands", () => {
    const log = Array.from({ length: 60 }, (_, at) => `2026-01-01T00:00:${at % 60} ERROR must not happen ${at}`).join("\n");
    expect(notesOf({ kind: "prompt", text: `Why does this happen?\n${log}` })).toMatchObject({ prohibitions: [], requirements: [] });
  });

  it.each([
    ["Edit", { file_path: "src/a.ts", old_string: "a", new_string: "b" }, { path: "src/a.ts", edits: 1, reads: 0 }],
    ["Read", { file_path: "src/a.ts" }, { path: "src/a.ts", edits: 0, reads: 1 }],
    ["write_file", { file_path: "src/a.ts", content: "x" }, { path: "src/a.ts", edits: 1, reads: 0 }],
    ["read_file", { absolute_path: "/p/src/a.ts" }, { path: "/p/src/a.ts", edits: 0, reads: 1 }],
    ["apply_patch", "*** Begin Patch\n*** Update File: src/a.ts\n@@\n-a\n+b\n*** End Patch", { path: "src/a.ts", edits: 1, reads: 0 }],
    ["apply_patch", { command: "*** Begin Patch\n*** Add File: src/a.ts\n+b\n*** End Patch" }, { path: "src/a.ts", edits: 1, reads: 0 }],
  ])("notes the file that %s names", (tool, input, file) => {
    expect(noteEvents(NO_NOTES, [{ kind: "call", tool, input: input as never }])).toMatchObject({ files: [file], commands: [] });
  });

  it("notes how often a command ran, how its last run ended, and why it failed", () => {
    const output = "Exit code 1\n > vitest run\n FAIL src/login.test.ts > redirects\nAssertionError: expected 302 to be 200";
    const { commands } = notesOf(
      ...run("1", "npm test", { text: "ok" }),
      ...run("2", "npm test", { text: output, failed: true }),
      ...run("3", "ls"),
    );
    expect(commands[0]).toMatchObject({ command: "npm test", runs: 2, outcome: "failed", exitCode: 1 });
    expect(commands[0]?.error).toContain("AssertionError: expected 302 to be 200");
    expect(commands[1]).toMatchObject({ command: "ls", runs: 1, outcome: "ok" });
  });

  it("forgets a failure once the command succeeds", () => {
    const { commands } = notesOf(
      ...run("1", "npm test", { text: "Error: no", failed: true }),
      ...run("2", "npm test", { text: "3 passed", failed: false }),
    );
    expect(commands).toEqual([{ command: "npm test", runs: 2, outcome: "ok", said: "3 passed" }]);
  });

  it("recognizes a failure by the output when the host does not mark it", () => {
    expect(notesOf(...run("1", "python a.py", { text: "Traceback (most recent call last):\nKeyError: 'x'" })).commands[0]?.outcome).toBe(
      "failed",
    );
    expect(notesOf(...run("1", "grep -rn error src", { text: "src/a.ts: the error is shown" })).commands[0]?.outcome).toBe("ok");
  });

  it("reports the result of a command without the advice of a package manager below it", () => {
    const output = "Successfully installed demo-3.13.0\nWARNING: Running pip as root\n[notice] A new release is available\n";
    expect(notesOf(...run("1", "pip install -e .", { text: output })).commands[0]?.said).toBe("Successfully installed demo-3.13.0");
  });

  it("keeps lines of the last output that were looked for, but none of a failure", () => {
    const shown = Array.from({ length: 300 }, (_, at) => `${at + 1}:x${at}`).join("\n");
    const events: TranscriptEvent[] = [{ kind: "reply", text: "I look at line 250." }, ...run("1", "open a.py 250", { text: shown })];
    expect(notesOf(...events).output).toMatchObject({ 250: "x249" });
    expect(notesOf(...events, ...run("2", "npm test", { text: "Error: no", failed: true })).output).toBeUndefined();
  });

  it("follows a plan that is written as a whole, and one whose items have ids", () => {
    const whole = notesOf(
      call("1", "update_plan", {
        plan: [
          { step: "read", status: "completed" },
          { step: "fix", status: "in_progress" },
        ],
      }),
    );
    expect(whole.plan).toEqual([
      { text: "read", state: "done" },
      { text: "fix", state: "active" },
    ]);
    const byId = notesOf(
      call("1", "TaskCreate", { subject: "fix redirect", description: "make it 302" }),
      result("1", "Task #7 created successfully: fix redirect"),
      call("2", "TaskUpdate", { taskId: "7", status: "in_progress" }),
    );
    expect(byId.plan).toEqual([{ id: "7", text: "make it 302", state: "active" }]);
  });

  it("has no plan after the agent wrote an empty one", () => {
    const todos = [{ content: "fix", status: "in_progress" }];
    const written = notesOf(call("1", "TodoWrite", { todos }), result("1", "ok"));
    expect(written.plan).toHaveLength(1);
    expect(noteEvents(written, [call("2", "TodoWrite", { todos: [] })]).plan).toEqual([]);
  });

  it("does not take records with a status that another tool is called with for a plan", () => {
    const issues = [
      { title: "Redirect is lost", status: "open" },
      { title: "Logout fails", status: "open" },
    ];
    expect(notesOf(call("1", "create_issues", { issues })).plan).toEqual([]);
  });

  it("gives a result without an id to the last call only", () => {
    const { steps } = noteEvents(NO_NOTES, [
      { kind: "call", tool: "Bash", input: { command: "ls" } },
      { kind: "result", text: "a.ts" },
      { kind: "call", tool: "Bash", input: { command: "pwd" } },
      { kind: "result", text: "/app" },
    ]);
    expect(steps).toEqual([
      { did: "ls", said: "a.ts" },
      { did: "pwd", said: "/app" },
    ]);
  });

  it("forgets the error of a file once it is edited, or the same tool succeeds there", () => {
    const edit = (id: string, path = "a.ts"): TranscriptEvent => call(id, "Edit", { file_path: path });
    const read = (id: string): TranscriptEvent => call(id, "Read", { file_path: "a.ts" });
    const failed = notesOf(
      edit("1"),
      result("1", "String not found", { failed: true }),
      read("2"),
      result("2", "No file", { failed: true }),
    );
    const toolsAfter = (...events: TranscriptEvent[]): string[] => noteEvents(failed, events).errors.map(({ tool }) => tool);
    expect(toolsAfter(edit("3", "b.ts"), result("3", "ok"))).toEqual(["Edit", "Read"]);
    expect(toolsAfter(read("3"), result("3", "text"))).toEqual(["Edit"]);
    expect(toolsAfter(edit("3"), result("3", "ok"))).toEqual([]);
  });

  it("notes checkpoints that the agent saved itself", () => {
    const answer = JSON.stringify({ checkpointId: "c1", sessionId: "login-fix", status: "SAVED" });
    const { saves } = notesOf(call("1", "mcp__workrail__workflow_checkpoint_save", { context: {} }), result("1", answer));
    expect(saves).toEqual([{ checkpointId: "c1", sessionId: "login-fix" }]);
  });

  it("notes the same whether the events come at once or in pieces", () => {
    fc.assert(
      fc.property(fc.array(anyEvent, { maxLength: 40 }), fc.nat(40), (events, at) => {
        const inPieces = noteEvents(noteEvents(NO_NOTES, events.slice(0, at)), events.slice(at));
        expect(inPieces).toEqual(noteEvents(NO_NOTES, events));
        expect(JSON.parse(JSON.stringify(inPieces))).toEqual(inPieces);
      }),
    );
  });

  it("stays small however long a session is", () => {
    const long = "x".repeat(100_000);
    const events = Array.from({ length: 2_000 }, (_, at): TranscriptEvent[] => [
      { kind: "prompt", text: `Never do ${at}. ${long}` },
      { kind: "reply", text: `We decided ${at} because ${long}` },
      ...run(`${at}`, `command ${at} ${long}`, { text: `Error: ${long}`, failed: true }),
      call(`f${at}`, "Edit", { file_path: `src/${at}.ts` }),
    ]).flat();
    const notes = noteEvents(NO_NOTES, events.slice(0, 500));
    expect(notes.files.length).toBeLessThanOrEqual(MOST_NOTED.files);
    expect(JSON.stringify(notes).length).toBeLessThan(150_000);
  });
});

const text = fc.constantFrom("Fix the redirect.", "Never touch a.ts", "next: run tests", "", "Error: no", "We decided on b because of c.");
const id = fc.constantFrom("1", "2", undefined);
const anyEvent: fc.Arbitrary<TranscriptEvent> = fc.oneof(
  fc.record({ kind: fc.constant("prompt" as const), text }),
  fc.record({ kind: fc.constant("reply" as const), text }),
  fc.record({
    kind: fc.constant("call" as const),
    id,
    tool: fc.constantFrom("Bash", "Edit", "TaskCreate"),
    input: fc.constantFrom({ command: "npm test" }, { file_path: "a.ts" }, { subject: "s" }),
  }),
  fc.record({ kind: fc.constant("result" as const), id, text, failed: fc.constantFrom(true, false, undefined) }),
  fc.constant({ kind: "interrupted" as const }),
);

describe("isUnfinished", () => {
  it.each<[string, TranscriptEvent[], string | undefined]>([
    ["a request without an answer", [{ kind: "prompt", text: "go" }], "the last request is not answered"],
    ["a turn that was cut off", [{ kind: "prompt", text: "go" }, ...run("1", "ls")], "stopped in the middle of a turn"],
    ["an interruption", [{ kind: "prompt", text: "go" }, { kind: "interrupted" }], "interrupted by the person"],
    [
      "a question",
      [
        { kind: "prompt", text: "go" },
        { kind: "reply", text: "Shall I remove the old table?" },
      ],
      "the last reply asks a question",
    ],
    [
      "a next step",
      [
        { kind: "prompt", text: "go" },
        { kind: "reply", text: "Next I will write the test." },
      ],
      "the last reply names what is left",
    ],
    [
      "work that is done",
      [{ kind: "prompt", text: "go" }, ...run("1", "npm test", { text: "ok" }), { kind: "reply", text: "All tests pass." }],
      undefined,
    ],
  ])("sees %s", (_name, events, why) => {
    expect(isUnfinished(notesOf(...events))).toBe(why);
  });
});

describe("contextOfNotes", () => {
  const notes = notesOf(
    { kind: "prompt", text: "Make the login redirect work. Do not change the database schema." },
    ...run("1", "npm test", { text: "FAIL login.test.ts\nAssertionError: expected 302 to be 200", failed: true, exitCode: 1 }),
    call("2", "Edit", { file_path: "src/login.ts" }),
    result("2", "ok"),
    { kind: "reply", text: "I keep the target in the session because cookies are cut at 4 KB. Next: fix logout." },
  );

  it("holds goal, prohibition, failure, files, decision and next step under keys that a handoff understands", () => {
    expect(contextOfNotes(notes)).toMatchObject({
      goal: "Make the login redirect work. Do not change the database schema.",
      prohibitions: [expect.stringContaining("Do not change the database schema.")],
      failingCommands: [{ command: "npm test", exitCode: 1, error: expect.stringContaining("expected 302 to be 200") }],
      filesChanged: ["src/login.ts"],
      decisions: [expect.stringContaining("because cookies are cut at 4 KB")],
      nextSteps: [expect.stringContaining("Next: fix logout.")],
    });
  });

  it("omits empty parts", () => {
    expect(Object.keys(contextOfNotes(notesOf({ kind: "prompt", text: "Hello" })))).toEqual(["goal", "status"]);
  });

  it("gives each entry the layer that the classifier gives", async () => {
    const asked = noteEvents(notes, [
      { kind: "prompt", text: "And now logout." },
      { kind: "summary", text: "Earlier turns." },
      call("4", "Read", { file_path: "src/c.ts" }),
      call("5", "mcp__workrail__workflow_checkpoint_save", { context: {} }),
      result("5", '{"checkpointId":"c1","sessionId":"s1"}'),
      { kind: "reply", text: "Next: logout. Shall I go on?" },
    ]);
    const context = contextOfNotes(asked, { host: "claude-code" });
    const cutOff = contextOfNotes(noteEvents(asked, run("6", "cat src/c.ts", { text: "export const c = 1;" })));
    const all = { ...cutOff, ...context };
    const layers = [...(await wordClassifier.classify(all, Object.keys(all)))].map(([key, { layer }]) => [key, layer]);
    expect(Object.keys(all).map((key) => [key, LAYERS_OF_NOTES.get(key)?.layer])).toEqual(layers);
    expect(layers.length).toBeGreaterThan(13);
  });

  it("keeps lines of the last output only until a reply reports them", () => {
    const cutOff = noteEvents(notes, run("3", "cat src/login.ts", { text: "export const login = 1;" }));
    expect(contextOfNotes(cutOff)).toMatchObject({ outputOfLastStep: { 1: "export const login = 1;" } });
    expect(contextOfNotes(noteEvents(cutOff, [{ kind: "reply", text: "Done." }]))).not.toHaveProperty("outputOfLastStep");
  });

  it("reports more of the last replies when these are short", () => {
    const reply = (text: string): TranscriptEvent => ({ kind: "reply", text });
    const short = ["I found the leak.", "Let me fix it.", "Let me run it.", "Again.", "Once more."].map(reply);
    expect(contextOfNotes(notesOf(...short))["lastMessages"]).toHaveLength(5);
    const long = Array.from({ length: 5 }, (_, at) => reply(`${at} ${"words ".repeat(60)}`));
    expect(contextOfNotes(notesOf(...long))["lastMessages"]).toHaveLength(3);
  });

  it("cuts a long command in its result, and lists it whole among the commands", () => {
    const script = Array.from({ length: 12 }, (_, at) => `check_the_case ${at}`).join("\n");
    const { lastSteps, commands } = contextOfNotes(notesOf(...run("1", script, { text: "12 passed" })));
    expect(lastSteps).toEqual([expect.stringMatching(/^check_the_case 0; .{80,120}… -> 12 passed$/u)]);
    expect(commands).toEqual([expect.stringContaining("check_the_case 11")]);
  });

  it("has a short form in a few lines", () => {
    const brief = briefContextOfNotes(notes);
    expect(JSON.stringify(brief).length).toBeLessThan(900);
    expect(brief).toMatchObject({ goal: expect.stringContaining("login redirect"), nextStep: expect.stringContaining("fix logout") });
  });
});
