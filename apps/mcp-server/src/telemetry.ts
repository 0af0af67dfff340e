import type { Attributes, Span } from "@opentelemetry/api";
import { outcomeOf } from "./request-log.ts";

/** OpenTelemetry's API registers itself as a global under this symbol, whichever copy of it a process loads. */
export const OPEN_TELEMETRY: symbol = Symbol.for("opentelemetry.js.api.1");
const NAME = "@workrail/mcp-server";

type Fields = Record<string, unknown>;

interface Request {
  readonly method: string;
  readonly params?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * Runs the answer to a request, and reports it as a span and in a histogram of OpenTelemetry. For a process that has it: `node --import` loads
 * it before the server. Names follow OpenTelemetry's conventions for MCP; no argument and no stored value is reported.
 */
export async function observed(request: Request, answer: () => Promise<Fields>): Promise<Fields> {
  const { context, propagation, SpanKind, SpanStatusCode, tracer, duration } = (loaded ??= await load());
  const attributes = attributesOf(request);
  const target = request.params?.["name"];
  const name = typeof target === "string" ? `${request.method} ${target}` : request.method;
  const parent = propagation.extract(context.active(), request.params?.["_meta"] ?? {});
  const startedAt = performance.now();
  const run = async (span: Span): Promise<Fields> => {
    const end = (error: string | undefined): void => {
      if (error !== undefined) span.setAttribute("error.type", error).setStatus({ code: SpanStatusCode.ERROR });
      span.end();
      duration.record((performance.now() - startedAt) / 1000, error === undefined ? attributes : { ...attributes, "error.type": error });
    };
    try {
      const result = await answer();
      end(outcomeOf(result));
      return result;
    } catch (error) {
      const { code = "INTERNAL" } = error as { readonly code?: string | number };
      end(`${code}`);
      throw error;
    }
  };
  return tracer.startActiveSpan(name, { kind: SpanKind.SERVER, attributes }, parent, run);
}

/** Loaded with the first request. */
let loaded: Awaited<ReturnType<typeof load>> | undefined;

async function load() {
  const api = await import("@opentelemetry/api");
  const options = { unit: "s", description: "Duration of MCP requests as the server sees it" };
  const duration = api.metrics.getMeter(NAME).createHistogram("mcp.server.operation.duration", options);
  return { ...api, tracer: api.trace.getTracer(NAME), duration };
}

function attributesOf({ method, params = {} }: Request): Attributes {
  const { name } = params;
  const named = typeof name === "string" ? name : undefined;
  return {
    "mcp.method.name": method,
    ...(method === "tools/call" && named !== undefined ? { "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": named } : {}),
    ...(method === "prompts/get" && named !== undefined ? { "gen_ai.prompt.name": named } : {}),
  };
}
