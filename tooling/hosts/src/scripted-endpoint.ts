import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text as readText } from "node:stream/consumers";
import { hostCalls } from "./host-calls.ts";
import type { ModelAnswer, Protocol } from "./model-answer.ts";
import { anthropicMessages } from "./protocols/anthropic-messages.ts";
import { geminiContent } from "./protocols/gemini-content.ts";
import { openaiChat } from "./protocols/openai-chat.ts";
import { openaiResponses } from "./protocols/openai-responses.ts";
import type { HostName, PlanItem, Turn } from "./scenario.ts";
import { sideAnswer } from "./side-answer.ts";

/** A request that a host sent to the model. */
export interface RecordedRequest {
  readonly path: string;
  /** `side`: a title, a topic, a summary; it does not advance the script. */
  readonly kind: "turn" | "side";
  /** The JSON body, or `undefined` when there was none. */
  readonly body: unknown;
}

/** Turns to play for one host. */
export interface Script {
  readonly host: HostName;
  /** Absolute path of the repository. */
  readonly project: string;
  readonly turns: readonly Turn[];
  /** Leaves the request after the last turn without an answer, so that the host can be killed while it waits. */
  readonly holdsAtEnd?: boolean;
}

/** A model on loopback that plays a script. */
export interface ScriptedEndpoint {
  /** Such as `http://127.0.0.1:49152`. */
  readonly url: string;
  /** All requests so far, oldest first. */
  readonly requests: readonly RecordedRequest[];
  /** Replaces the current script. The plan of earlier scripts stays known. */
  play(script: Script): void;
  /** Turns of the current script that are not requested yet. */
  readonly turnsLeft: number;
  /** Resolves when a request is held, with a script that holds at its end. */
  held(): Promise<void>;
  close(): Promise<void>;
}

const PROTOCOLS = [anthropicMessages, openaiResponses, openaiChat, geminiContent];
/** A request that offers none of these is not a turn of the agent. */
const SHELL_TOOLS = ["Bash", "exec_command", "shell_command", "shell", "local_shell", "run_shell_command", "bash"];

/** Starts an endpoint on a free port of 127.0.0.1. It speaks the four protocols at once. */
export async function startScriptedEndpoint(): Promise<ScriptedEndpoint> {
  const model = new ScriptedModel();
  const server = createServer((request, response) => {
    answer(model, request, response).catch((error: unknown) => response.destroy(error as Error));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: model.requests,
    play: (script) => model.play(script),
    get turnsLeft() {
      return model.turnsLeft;
    },
    held: () => model.held,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function answer(model: ScriptedModel, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const path = request.url ?? "/";
  const sent = await readText(request);
  const protocol = PROTOCOLS.find(({ handles }) => handles(path));
  if (protocol === undefined) {
    response.writeHead(404, { "content-type": "application/json" }).end("{}");
    return;
  }
  const body: unknown = sent === "" ? undefined : JSON.parse(sent);
  const said = model.answer(protocol, path, body);
  if (said === undefined) return;
  const wire = protocol.write(said, { path, body });
  response.writeHead(200, { "content-type": wire.contentType }).end(wire.body);
}

class ScriptedModel {
  readonly requests: RecordedRequest[] = [];
  readonly #plan: PlanItem[] = [];
  #script: Script | undefined;
  #turns: Turn[] = [];
  #count = 0;
  #hold = Promise.withResolvers<void>();

  get turnsLeft(): number {
    return this.#turns.length;
  }

  get held(): Promise<void> {
    return this.#hold.promise;
  }

  play(script: Script): void {
    this.#script = script;
    this.#turns = [...script.turns];
    this.#hold = Promise.withResolvers();
  }

  /** `undefined`: the request is held without an answer. */
  answer(protocol: Protocol, path: string, body: unknown): ModelAnswer | undefined {
    const offered = protocol.offeredTools(body);
    const aside = sideAnswer(body, { host: this.#script?.host, hasTools: SHELL_TOOLS.some((name) => offered.has(name)) });
    this.requests.push({ path, kind: aside === undefined ? "turn" : "side", body });
    this.#count += 1;
    if (aside !== undefined) return { id: String(this.#count), text: aside, calls: [] };
    const turn = this.#turns.shift();
    if (turn !== undefined) return this.#spoken(turn, offered);
    if (this.#script?.holdsAtEnd !== true) return { id: String(this.#count), text: "Nothing more is scripted.", calls: [] };
    this.#hold.resolve();
    return undefined;
  }

  #spoken(turn: Turn, offered: ReadonlySet<string>): ModelAnswer {
    const { host, project } = this.#script as Script;
    const said = turn.calls ?? [];
    this.#turns.unshift(...said.flatMap((call) => (call.tool === "agent" ? call.turns : [])));
    const calls = said.flatMap((call) => hostCalls(host, call, { project, plan: this.#plan, offered }));
    const id = String(this.#count);
    return { id, text: turn.text ?? "", calls: calls.map((call, index) => ({ ...call, id: `${id}_${index}` })) };
  }
}
