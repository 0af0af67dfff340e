import process from "node:process";
import { join } from "node:path";
import { openWorkrail } from "@workrail/runtime";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { askThrough, showsForms } from "./question.ts";
import { type AnyClient, type ClientName, connectAskable, connectHttp, connectStdio, type OnQuestion } from "./testing/any-client.ts";
import { bundleServer } from "./testing/bundle.ts";
import { HttpFixture } from "./testing/http-fixture.ts";
import { TestHome } from "./testing/server-process.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Clients with the ways in which they can be asked. Before 2026-07-28 the server would need a session to be answered over HTTP. */
const ASKED: readonly (readonly [ClientName, "stdio" | "HTTP"])[] = [
  ["v1 client", "stdio"],
  ["v2 client of the old protocol", "stdio"],
  ["v2 client that asks", "stdio"],
  ["v2 client of 2026-07-28", "stdio"],
  ["v2 client of 2026-07-28", "HTTP"],
];

let home: TestHome;
let overHttp: HttpFixture;
let command: { readonly command: string; readonly args: readonly string[]; readonly cwd: string };
/** Saves what the tests need. */
let keeper: AnyClient;
/** One askable client with its server for each name and way; each test sets what its person answers. */
const clients = new Map<string, Promise<AnyClient>>();
let answerOf: OnQuestion;
const env = (): Record<string, string> => ({ WORKRAIL_DATA_DIR: home.dataDir });
const unasked: OnQuestion = () => Promise.reject(new Error("not to be asked"));

beforeAll(async () => {
  home = await TestHome.create();
  command = { command: process.execPath, args: [join(await bundleServer(), "workrail-mcp.mjs")], cwd: home.project };
  const program = { ...command, args: [...command.args, "--http", "0"] };
  overHttp = await HttpFixture.start({ program, env: env() });
  keeper = await connectHttp("v1 client", overHttp.url);
  for (const sessionId of ["login", "notes"])
    await save("workflow_checkpoint_save", {
      sessionId,
      context: { goal: `Do the ${sessionId}` },
      metadata: { name: `the\u001b ${sessionId}` },
    });
});

beforeEach(() => {
  answerOf = unasked;
});

afterAll(async () => {
  for (const client of await Promise.all(clients.values())) await client.close();
  await keeper.close();
  await overHttp[Symbol.asyncDispose]();
  await home[Symbol.asyncDispose]();
});

async function save(tool: string, given: Fields): Promise<Fields> {
  const { isError, structuredContent } = await keeper.callTool(tool, given);
  if (isError === true) throw new Error(`${tool} failed`);
  return structuredContent as Fields;
}

/** Returns the askable client of this name and way, whose person answers so until the end of the test. */
async function clientWith(name: ClientName, way: "stdio" | "HTTP", onQuestion: OnQuestion): Promise<AnyClient> {
  answerOf = onQuestion;
  const key = `${name} over ${way}`;
  const client = clients.get(key) ?? connectOnce(name, way);
  clients.set(key, client);
  return client;
}

async function connectOnce(name: ClientName, way: "stdio" | "HTTP"): Promise<AnyClient> {
  const place = way === "HTTP" ? { url: overHttp.url } : { command, env: env() };
  const client = await connectAskable(name, place, (params) => answerOf(params));
  await client.listTools();
  return client;
}

async function resumeWith(name: ClientName, way: "stdio" | "HTTP", onQuestion: OnQuestion): Promise<Fields> {
  const client = await clientWith(name, way, onQuestion);
  return (await client.callTool("workflow_resume", { depth: "view" })).structuredContent as Fields;
}

describe.each(ASKED)("an ambiguous resume, with a %s over %s that can ask its user", (name, way) => {
  it("loads the session that the user chooses", async () => {
    const asked: unknown[] = [];
    const answer = await resumeWith(name, way, async (params) => {
      asked.push(params);
      const { enum: values, enumNames } = fieldOf(params);
      return { action: "accept", content: { work: values[enumNames.findIndex((title) => title.startsWith("the notes (saved "))] } };
    });
    expect(asked).toEqual([expect.objectContaining({ message: "Which saved work shall the agent go on with?" })]);
    expect(answer).toMatchObject({ status: "LOADED", sessionId: "notes", context: { goal: "Do the notes" } });
  });
});

describe.each([ASKED[0], ASKED[4]].filter((pair) => pair !== undefined))(
  "a resume that may mean several works, with a %s over %s",
  (name, way) => {
    it.each([
      ["declines", { action: "decline" }],
      ["dismisses the question", { action: "cancel" }],
      ["chooses what was not offered", { action: "accept", content: { work: "00000000-0000-4000-8000-000000000000" } }],
    ])("returns the candidates when the person %s", async (_, result) => {
      expect(await resumeWith(name, way, async () => result)).toMatchObject({ status: "CANDIDATES", candidates: [{}, {}] });
    });
  },
);

describe("a resume that may mean several works", () => {
  it.each(["stdio", "HTTP"] as const)("returns the candidates to a client over %s that cannot ask", async (way) => {
    const client =
      way === "HTTP" ? await connectHttp("v2 client of 2026-07-28", overHttp.url) : await connectStdio("v1 client", command, env());
    try {
      expect((await client.callTool("workflow_resume", {})).structuredContent).toMatchObject({ status: "CANDIDATES" });
    } finally {
      await client.close();
    }
  });

  it("returns the candidates to a client of the old protocol over HTTP, where nothing connects an answer with its question", async () => {
    expect(await resumeWith("v1 client", "HTTP", unasked)).toMatchObject({
      status: "CANDIDATES",
    });
  });

  it("returns the candidates when the client cannot ask after all", async () => {
    expect(await resumeWith("v1 client", "stdio", () => Promise.reject(new Error("no window")))).toMatchObject({ status: "CANDIDATES" });
  });

  it("asks nothing when the session is named", async () => {
    const client = await clientWith("v1 client", "stdio", unasked);
    const { structuredContent } = await client.callTool("workflow_resume", { sessionId: "login" });
    expect(structuredContent).toMatchObject({ status: "LOADED", sessionId: "login" });
  });
});

describe.each([ASKED[0], ASKED[4]].filter((pair) => pair !== undefined))(
  "a deletion, with a %s over %s that can ask its person",
  (name, way) => {
    async function aNote(summary: string): Promise<string> {
      return String((await save("checkpoint_save", { project_path: home.project, summary }))["id"]);
    }

    it("erases the checkpoints that the user confirms, and keeps the rest", async () => {
      const asked: unknown[] = [];
      const answers = ["keep", "erase"];
      const id = await aNote("an\u001b old note");
      const client = await clientWith(name, way, async (params) => {
        asked.push((params as Fields)["message"]);
        return { action: "accept", content: { erase: answers.shift() } };
      });
      expect((await client.callTool("checkpoint_delete", { id })).structuredContent).toEqual({ id, deleted: false });
      expect((await client.callTool("checkpoint_get", { id })).structuredContent).toMatchObject({ id });
      expect((await client.callTool("checkpoint_delete", { id })).structuredContent).toEqual({ id, deleted: true });
      expect((await client.callTool("checkpoint_get", { id })).isError).toBe(true);
      const question = expect.stringMatching(/^Erase this checkpoint for good\? an old note \(saved 2/u);
      expect(asked).toEqual([question, question]);
    });

    it("keeps the checkpoint when the user declines", async () => {
      const id = await aNote("kept");
      const client = await clientWith(name, way, async () => ({ action: "decline" }));
      expect((await client.callTool("checkpoint_delete", { id })).structuredContent).toEqual({ id, deleted: false });
    });

    it("asks nothing when the call states the user's consent", async () => {
      const id = await aNote("given up");
      const client = await clientWith(name, way, unasked);
      expect((await client.callTool("checkpoint_delete", { id, confirm: true })).structuredContent).toEqual({ id, deleted: true });
    });
  },
);

describe("a deletion", () => {
  it("names a checkpoint in the trash by its id", async () => {
    const { checkpointId } = await save("workflow_checkpoint_save", { sessionId: "trashed", context: { goal: "secret words" } });
    await using workrail = await openWorkrail({ dataDir: home.dataDir, env: {} });
    await workrail.cleanUp({ checkpointIds: [String(checkpointId)] });
    const asked: unknown[] = [];
    const client = await clientWith("v1 client", "stdio", async (params) => {
      asked.push((params as Fields)["message"]);
      return { action: "accept", content: { erase: "erase" } };
    });
    expect((await client.callTool("checkpoint_delete", { id: checkpointId })).structuredContent).toMatchObject({ deleted: true });
    expect(asked).toEqual([`Erase this checkpoint for good? ${String(checkpointId)}`]);
  });
});

describe("a question", () => {
  const question = { name: "work", text: "Which?", choices: [{ value: "1", title: "One" }] };
  const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
  const { signal } = new AbortController();
  const capabilities = { elicitation: {} };

  it("ends before clients give up the call, and then counts as not answered", async () => {
    const limits: number[] = [];
    const elicit = (_: unknown, timeoutMs: number): Promise<never> => {
      limits.push(timeoutMs);
      return Promise.reject(new Error("Request timed out"));
    };
    expect(await askThrough({ capabilities, elicit }, signal, silent)?.(question)).toBeUndefined();
    expect(limits).toEqual([45_000]);
  });

  it("ends the call when it is cancelled meanwhile", async () => {
    const elicit = (): Promise<never> => Promise.reject(new Error("Request was cancelled"));
    const asked = askThrough({ capabilities, elicit }, AbortSignal.abort(new Error("no longer wanted")), silent)?.(question);
    await expect(asked).rejects.toThrow("no longer wanted");
  });

  it.each([
    [undefined, false],
    [{}, true],
    [{ form: {} }, true],
    [{ url: {} }, false],
  ])("needs a client that shows forms (%j: %s)", (capability, does) => {
    expect(showsForms(capability)).toBe(does);
  });
});

function fieldOf(params: unknown): { readonly enum: readonly string[]; readonly enumNames: readonly string[] } {
  const { requestedSchema } = params as { requestedSchema: { properties: { work: ReturnType<typeof fieldOf> } } };
  return requestedSchema.properties.work;
}
