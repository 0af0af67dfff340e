import { type AgentOutputItem, type Model, type ModelRequest, Usage } from "@openai/agents";

/** A step of the model: it says a text, or calls a tool. */
export type Turn = string | { readonly tool: string; readonly input: object };

/** A model of the OpenAI Agents SDK without a network: `decide` gets the input of a real model. */
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
