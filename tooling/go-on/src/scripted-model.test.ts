import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ServerProcess, TestHome } from "../../../apps/mcp-server/src/testing/server-process.ts";
import { statesOf } from "./all-states.ts";
import { IS_LONG } from "../../../packages/storage-conformance/test/long-form.ts";
import { answers, asRead } from "./read-answer.ts";
import { type Call, ScriptedModel } from "./scripted-model.ts";
import { Transcript } from "./transcript.ts";
import type { WorkingState } from "./working-state.ts";

const PAGE = join(import.meta.dirname, "../../../docs/explanation/a-lost-window.md");

/** Work of the model between its first save and the loss of its window. */
const DECISION = "Go on with the second half first; the first one waits for an answer.";
const PROGRESS = { stepOfToday: 3, doneToday: "read all of it, and marked what is open" };

/** States in the short form: that of the page, and one in another script. */
const SOME = new Set(["release-conductor", "cangku-yiku-loop"]);

interface Life {
  readonly read: string;
  readonly stored: unknown;
  readonly expected: unknown;
  readonly transcript: Transcript;
}

/** Simulates a model that works and saves and loses its process and window, and another that resumes the work and saves again. */
async function live({ name, context }: WorkingState): Promise<Life> {
  await using home = await TestHome.create();
  const transcript = new Transcript();
  const talkTo =
    (server: ServerProcess): Call =>
    async (tool, given) => {
      const { content, isError } = await server.call(tool, given);
      const [block] = content;
      const text = block?.type === "text" ? block.text : "";
      transcript.add(tool, given, text);
      return { text, isError: isError === true };
    };
  const tools = async ({ client }: ServerProcess) => (await client.listTools()).tools;

  const first = await ServerProcess.start({ home });
  const model = new ScriptedModel("a", { tools: await tools(first), call: talkTo(first), window: { ...context } });
  transcript.say("An agent has worked for a while. It saves its whole state.");
  await model.saveAll(name);
  transcript.say("It continues, and saves only its changes.");
  await model.change(PROGRESS, { decisionsOfToday: [DECISION] });
  transcript.say(
    "By mistake it sends only its change as the whole context. The answer names the dropped keys, and the agent\nsends the change again, as a patch of the checkpoint before.",
  );
  await model.changeInAHurry({ stepOfToday: 4 });
  transcript.say("It sends a patch as a JSON text instead of an object.");
  await model.changeAsText({ stepOfToday: 5 });
  const expected = model.window;
  await first.kill();

  transcript.say("Its process is killed, and its context window is lost. A new agent knows only the list of tools.");
  await using second = await ServerProcess.start({ home });
  const successor = new ScriptedModel("b", { tools: await tools(second), call: talkTo(second) });
  const read = await successor.takeUp();
  transcript.say("It has what it needs, and continues the work.");
  await successor.change({ stepOfToday: 6 });
  const stored = (await second.ok("workflow_checkpoint_load", { sessionId: name, full: true }))["context"];
  return { read: asRead(read), stored, expected: { ...expected, stepOfToday: 6 }, transcript };
}

describe("a scripted model that sees only the tool list and the answers", async () => {
  const states = await statesOf("second");

  const lives = new Map<WorkingState, Promise<Life>>();
  const lifeOf = (state: WorkingState): Promise<Life> => {
    const life = lives.get(state) ?? live(state);
    lives.set(state, life);
    return life;
  };

  it.each(states.filter(({ name }) => IS_LONG || SOME.has(name)))(
    "saves, patches, loses its window, and continues $name",
    async (state) => {
      const { read, stored, expected } = await lifeOf(state);
      expect(stored).toEqual(expected);
      expect(read).toContain(DECISION);
      expect(state.questions.filter((question) => !answers(read, question)).map(({ q }) => q)).toEqual([]);
    },
  );

  it("is documented call by call", async () => {
    const state = states.find(({ name }) => name === "release-conductor");
    if (state === undefined) throw new Error("The state of the page is missing.");
    await expect((await lifeOf(state)).transcript.page()).toMatchFileSnapshot(PAGE);
  });
});
