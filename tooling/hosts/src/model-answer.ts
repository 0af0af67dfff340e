/** A call with the id that pairs it with its result. */
export interface AnsweredCall {
  readonly id: string;
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly plain?: string;
}

/** One answer of the scripted model, before a protocol writes it. */
export interface ModelAnswer {
  /** Unique within the endpoint. */
  readonly id: string;
  readonly text: string;
  readonly calls: readonly AnsweredCall[];
}

/** The parts of a model's API that a protocol reads and writes. */
export interface Protocol {
  /** True when a request path belongs to this protocol. */
  readonly handles: (path: string) => boolean;
  /** Names of the tools that a request offers. */
  readonly offeredTools: (body: unknown) => ReadonlySet<string>;
  /** The answer as it goes over the wire: a content type and a body. */
  readonly write: (answer: ModelAnswer, request: { readonly path: string; readonly body: unknown }) => WireAnswer;
}

/** A response's body with its type. */
export interface WireAnswer {
  readonly contentType: "text/event-stream" | "application/json";
  readonly body: string;
}

/** Server-sent events; `event` names are left out where a protocol has none. */
export function eventStream(events: readonly unknown[], nameOf?: (event: unknown) => string): WireAnswer {
  const lines = events.map((event) => {
    const data = typeof event === "string" ? event : JSON.stringify(event);
    return `${nameOf === undefined ? "" : `event: ${nameOf(event)}\n`}data: ${data}\n\n`;
  });
  return { contentType: "text/event-stream", body: lines.join("") };
}

/** Reads a field of a JSON value of unknown shape. */
export function field(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

/** Reads a list of a JSON value of unknown shape. */
export function list(value: unknown, name: string): readonly unknown[] {
  const found = field(value, name);
  return Array.isArray(found) ? found : [];
}
