import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { running, saying } from "./scenario.ts";
import { type ScriptedEndpoint, startScriptedEndpoint } from "./scripted-endpoint.ts";

const PROJECT = "/home/user/project";
const TURNS = [running("npm test", "First the tests."), saying("Done.")];

describe("the scripted endpoint", () => {
  let endpoint: ScriptedEndpoint;
  beforeEach(async () => {
    endpoint = await startScriptedEndpoint();
  });
  afterEach(() => endpoint.close());

  const post = async (path: string, body: unknown): Promise<string> => {
    const response = await fetch(endpoint.url + path, { method: "POST", body: JSON.stringify(body) });
    return response.text();
  };

  it("plays turns to Claude Code", async () => {
    endpoint.play({ host: "claude-code", project: PROJECT, turns: TURNS });
    const request = { model: "m", stream: true, tools: [{ name: "Bash" }], messages: [{ role: "user", content: "Go" }] };
    expect(await post("/v1/messages?beta=true", request)).toContain('"partial_json":"{\\"command\\":\\"npm test\\"');
    expect(await post("/v1/messages?beta=true", request)).toContain('"text":"Done."');
    expect(endpoint.turnsLeft).toBe(0);
  });

  it("plays turns to Codex", async () => {
    endpoint.play({ host: "codex", project: PROJECT, turns: TURNS });
    const request = { model: "m", stream: true, tools: [{ type: "function", name: "exec_command" }], input: [] };
    expect(await post("/v1/responses", request)).toContain('"arguments":"{\\"cmd\\":\\"npm test\\"}"');
  });

  it("plays turns to Gemini CLI", async () => {
    endpoint.play({ host: "gemini", project: PROJECT, turns: TURNS });
    const request = { tools: [{ functionDeclarations: [{ name: "run_shell_command" }] }], contents: [] };
    const said = await post("/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse", request);
    expect(said).toContain('"functionCall":{"id":"1_0","name":"run_shell_command","args":{"command":"npm test"');
  });

  it("plays turns to opencode", async () => {
    endpoint.play({ host: "opencode", project: PROJECT, turns: TURNS });
    const request = { model: "m", tools: [{ type: "function", function: { name: "bash" } }], messages: [] };
    expect(await post("/v1/chat/completions", request)).toContain('"finish_reason":"tool_calls"');
  });

  it("answers a request for a title, or for a summary, without a turn", async () => {
    endpoint.play({ host: "claude-code", project: PROJECT, turns: TURNS });
    await post("/v1/messages", { model: "m", messages: [{ role: "user", content: "A title, please" }] });
    const summary = { role: "user", content: "Your task is to create a detailed summary of the conversation so far" };
    expect(await post("/v1/messages", { model: "m", tools: [{ name: "Bash" }], messages: [summary] })).toContain("<summary>");
    expect(endpoint.turnsLeft).toBe(TURNS.length);
    expect(endpoint.requests.map(({ kind }) => kind)).toEqual(["side", "side"]);
  });

  it("holds the request after the last turn on demand", async () => {
    endpoint.play({ host: "codex", project: PROJECT, turns: [], holdsAtEnd: true });
    const waiting = post("/v1/responses", { tools: [{ type: "function", name: "shell" }], input: [] }).catch(() => "cut off");
    await endpoint.held();
    await endpoint.close();
    expect(await waiting).toBe("cut off");
    endpoint = await startScriptedEndpoint();
  });
});
