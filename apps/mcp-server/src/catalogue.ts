import { isJsonObject, type Log } from "@workrail/core";
import type { PageOffer } from "./app/timeline-app.ts";
import { type CallResult, callTool, refuseTool } from "./call-tool.ts";
import { ProtocolFault, type RequestId, RPC_ERROR, shorten } from "./json-rpc.ts";
import { AnswerNeeded, type Askable, askThrough, inputRequired } from "./question.ts";
import { showsPages } from "./app/shows-pages.ts";
import { logged } from "./request-log.ts";
import { roundedIn } from "./rounded-integers.ts";
import type { Notices } from "./notices/notices.ts";
import { type Notify, ProgressReporter } from "./progress.ts";
import type { Prompt } from "./prompt.ts";
import { type Answer, completionRequests, promptRequests, resourceRequests } from "./resource-requests.ts";
import type { Resource } from "./resource.ts";
import { listTool, type ToolListing } from "./tool-listing.ts";
import { observed, OPEN_TELEMETRY } from "./telemetry.ts";
import type { Tool, ToolCall } from "./tool.ts";

export interface CatalogueOptions {
  readonly name: string;
  readonly title: string;
  readonly version: string;
  /** Default: none. */
  readonly icons?: readonly Icon[];
  /** Tells the model when to use the server; at most 1 KB. */
  readonly instructions: string;
  readonly tools: readonly Tool[];
  /** Lists only tools with read-only calls, and refuses the others. Default `false`. */
  readonly readOnly?: boolean;
  /** Default: none. */
  readonly resources?: readonly Resource[];
  /** Default: none. */
  readonly prompts?: readonly Prompt[];
  /** A page for hosts that show pages. Default: none. */
  readonly page?: PageOffer | undefined;
  /** Tells clients that resources changed. Default: no notices. */
  readonly notices?: Notices | undefined;
  readonly log: Log;
}

/** A picture of the server for people, as the protocol has it. */
export interface Icon {
  readonly [key: string]: unknown;
  /** A `data:` URI: a host need not fetch anything. */
  readonly src: string;
  readonly mimeType: string;
  readonly sizes: string[];
}

/** A request of a client, as every MCP library passes it on. */
export interface CatalogueRequest {
  readonly method: string;
  readonly params?: Readonly<Record<string, unknown>> | undefined;
}

/** A result of the protocol. */
export type Fields = Record<string, unknown>;

/** The caller of a request. */
export interface Caller extends Pick<ToolCall, "client" | "signal">, Askable {
  /** Id that the client gave to the request. */
  readonly id: RequestId;
  /** Sends a notice that belongs to the request. */
  readonly notify: Notify;
}

const TOOL_METHODS = ["tools/list", "tools/call"];

/** The part of a server that adapters need: a description of itself, and answers to requests. */
export interface Offer {
  readonly info: { readonly name: string; readonly title: string; readonly version: string; readonly icons?: Icon[] };
  readonly instructions: string;
  readonly capabilities: Readonly<Record<string, object>>;
  /** Methods of the protocol that it answers. */
  readonly methods: readonly string[];
  /** Absent: no notices of changes. A connection that can carry notices adds the capability. */
  readonly notices?: Notices | undefined;
  readonly log: Log;
  /** Answers one request. @throws ProtocolFault for a request that is wrong by the protocol. */
  answer(request: CatalogueRequest, caller: Caller): Promise<Fields>;
}

/** Everything that a server offers. Answers the requests of the protocol, independent of any MCP library. */
export class Catalogue implements Offer {
  readonly info: Offer["info"];
  readonly instructions: string;
  readonly capabilities: Offer["capabilities"];
  readonly methods: readonly string[];
  readonly notices: Notices | undefined;
  readonly log: Log;
  readonly #tools: ReadonlyMap<string, Tool>;
  readonly #refused: ReadonlySet<string>;
  readonly #answers: ReadonlyMap<string, Answer>;
  readonly #page: PageOffer | undefined;
  #listings: readonly ToolListing[] | undefined;
  readonly #running = new Set<Promise<unknown>>();

  constructor({
    name,
    title,
    version,
    icons,
    instructions,
    tools,
    readOnly = false,
    resources = [],
    prompts = [],
    page,
    notices,
    log,
  }: CatalogueOptions) {
    const offered = readOnly ? tools.filter(canOnlyRead).map(onlyReading) : tools;
    this.info = { name, title, version, ...(icons === undefined ? {} : { icons: [...icons] }) };
    this.instructions = instructions;
    this.capabilities = {
      tools: {},
      ...(resources.length === 0 ? {} : { resources: {} }),
      ...(prompts.length === 0 ? {} : { prompts: {} }),
      ...([...resources, ...prompts].some(({ complete }) => complete !== undefined) ? { completions: {} } : {}),
    };
    this.notices = resources.length === 0 ? undefined : notices;
    this.log = log;
    this.#page = resources.length === 0 ? undefined : page;
    this.#tools = new Map(offered.map((tool) => [tool.name, tool]));
    this.#refused = new Set(tools.map(({ name: each }) => each).filter((each) => !this.#tools.has(each)));
    const answers = {
      ...(resources.length === 0 ? {} : resourceRequests(resources, log, this.#page === undefined ? [] : [this.#page.resource])),
      ...(prompts.length === 0 ? {} : promptRequests(prompts, log)),
      ...("completions" in this.capabilities ? completionRequests(resources, prompts, log) : {}),
    };
    this.#answers = new Map(Object.entries(answers));
    this.methods = [...TOOL_METHODS, ...this.#answers.keys()];
  }

  /** True while a call is running, also a cancelled one. */
  get isRunning(): boolean {
    return this.#running.size > 0;
  }

  /** Resolves when no call is running, cancelled ones included. */
  async whenIdle(): Promise<void> {
    while (this.#running.size > 0) {
      await Promise.allSettled(this.#running);
    }
  }

  answer(request: CatalogueRequest, caller: Caller): Promise<Fields> {
    const { id, signal } = caller;
    const { method, params = {} } = request;
    const tool = typeof params["name"] === "string" && this.#tools.has(params["name"]) ? params["name"] : undefined;
    const named = { method: this.methods.includes(method) ? method : "unknown", id, tool, signal };
    const answer = (): Promise<Fields> => logged(this.log, named, (log) => this.#answer(request, caller, log));
    return OPEN_TELEMETRY in globalThis ? observed(request, answer) : answer();
  }

  async #answer(request: CatalogueRequest, caller: Caller, log: Log): Promise<Fields> {
    switch (request.method) {
      case "tools/list":
        this.#listings ??= [...this.#tools.values()].map(listTool);
        return { tools: showsPages(caller.capabilities) ? withPage(this.#listings, this.#page) : this.#listings };
      case "tools/call":
        return { ...(await this.#call(request.params ?? {}, caller, log)) };
      default:
        return this.#answerOther(request);
    }
  }

  async #answerOther(request: CatalogueRequest): Promise<Fields> {
    const answer = this.#answers.get(request.method);
    if (answer === undefined) throw noSuchMethod(request);
    return this.#tracked(answer(request.params ?? {}));
  }

  async #call(params: Readonly<Record<string, unknown>>, caller: Caller, log: Log): Promise<CallResult | Fields> {
    const { name } = params;
    if (typeof name !== "string") {
      throw new ProtocolFault(RPC_ERROR.invalidParams, "tools/call needs the name of a tool.");
    }
    const tool = this.#page?.tool.name === name ? this.#page.tool : this.#tools.get(name);
    if (this.#refused.has(name)) return refuseTool();
    if (tool === undefined) {
      const known = [...this.#tools.keys()].join(", ");
      throw new ProtocolFault(RPC_ERROR.invalidParams, `Unknown tool ${shorten(name)}. The tools of this server are: ${known}.`);
    }
    const given = params["arguments"];
    const { client, signal, notify, capabilities } = caller;
    const { _meta: meta } = params;
    const token = isJsonObject(meta) ? meta["progressToken"] : undefined;
    const reporter = token === undefined ? undefined : new ProgressReporter({ token, notify });
    const ask = capabilities?.elicitation === undefined ? undefined : askThrough(caller, signal, log);
    const call = { client, signal, progress: reporter?.tell, ask, rounded: roundedIn(given) };
    try {
      return await this.#tracked(callTool(tool, given, { call, log, tools: [...this.#tools.values()] }));
    } catch (error) {
      if (error instanceof AnswerNeeded) return inputRequired(error);
      throw error;
    } finally {
      reporter?.end();
    }
  }

  async #tracked<T>(running: Promise<T>): Promise<T> {
    this.#running.add(running);
    try {
      return await running;
    } finally {
      this.#running.delete(running);
    }
  }
}

/** Adds the page to the tools that open it, and the tool that the page calls. Hosts that show no pages need not pay for these. */
function withPage(listings: readonly ToolListing[], page: PageOffer | undefined): readonly ToolListing[] {
  if (page === undefined) return listings;
  const ui = { resourceUri: page.resource.uri };
  const opening = listings.map((tool) => (page.openedBy.has(tool.name) ? { ...tool, _meta: { ...tool._meta, ui } } : tool));
  return [...opening, listTool(page.tool)];
}

function noSuchMethod({ method }: CatalogueRequest): ProtocolFault {
  return new ProtocolFault(RPC_ERROR.methodNotFound, `This server has no method ${shorten(method)}.`);
}

function canOnlyRead({ annotations, canOnlyRead: can = annotations.readOnlyHint }: Tool): boolean {
  return can;
}

/** Marks a tool as read-only: the store refuses its calls that would write. */
function onlyReading(tool: Tool): Tool {
  return { ...tool, annotations: { ...tool.annotations, readOnlyHint: true } };
}
