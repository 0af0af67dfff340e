import { type AgentOutputItem, type Model, type ModelRequest, Usage } from "@openai/agents";

/** Answer of the model: a text, or a call of a tool. */
export type Turn = string | { readonly tool: string; readonly input: object };

/** A model of the OpenAI Agents SDK without a network: `decide` gets each request and returns the answer. */
export function scriptedModel(decide: (request: ModelRequest) => Turn | Promise<Turn>): Model {
  let calls = 0;
  return {
    async getResponse(request) {
      const turn = await decide(request);
      calls += 1;
      return { usage: new Usage(), output: [itemOf(turn, `call-${Date.now()}-${calls}`)] };
    },
    getStreamedResponse() {
      throw new Error("This model does not stream.");
    },
  };
}

function itemOf(turn: Turn, callId: string): AgentOutputItem {
  return typeof turn === "string"
    ? { type: "message", role: "assistant", status: "completed", content: [{ type: "output_text", text: turn }] }
    : { type: "function_call", callId, name: turn.tool, status: "completed", arguments: JSON.stringify(turn.input) };
}
