import { isWorkrailError, type Log } from "@workrail/core";
import { inOwnName } from "@workrail/process";
import { ProtocolFault, RPC_ERROR, shorten } from "./json-rpc.ts";
import { type Prompt, listPrompt, messageOf } from "./prompt.ts";
import { expandUri, isTemplate, listResource, listTemplate, matchUri, type Resource, type Variables } from "./resource.ts";
import { toToolFailure } from "./wire-errors.ts";

type Fields = Record<string, unknown>;
type Params = Readonly<Record<string, unknown>>;

/** Answers one method of the protocol. @throws ProtocolFault */
export type Answer = (params: Params) => Promise<Fields>;

/** Most values that a completion may have by the protocol. */
const MOST_VALUES = 100;
const NOT_FOUND: ReadonlySet<string> = new Set(["CHECKPOINT_NOT_FOUND", "SESSION_NOT_FOUND"]);

/** Returns the answers to all requests about resources. @param unlisted resources that can be read, but are in no list. */
export function resourceRequests(
  resources: readonly Resource[],
  log: Log,
  unlisted: readonly Resource[] = [],
): Readonly<Record<string, Answer>> {
  const fixed = resources.filter((resource) => !isTemplate(resource));
  const templates = resources.filter(isTemplate);
  const listed = templates.filter(({ list }) => list !== undefined);

  return {
    /** Fixed resources come with the first page; each template continues where the one before it ends. */
    async "resources/list"({ cursor }) {
      const [index, inner] = cursor === undefined ? [0, undefined] : parseCursor(cursor, listed.length);
      const first = cursor === undefined ? fixed.map(listResource) : [];
      const template = listed[index];
      if (template?.list === undefined) return { resources: first };
      const page = await withProtocolCode(() => template.list?.(inner) ?? Promise.resolve({ resources: [] }), log);
      const found = page.resources.map(({ variables, name, title }) => ({
        ...listResource(template),
        uri: expandUri(template.uri, variables),
        name,
        ...(title === undefined ? {} : { title }),
      }));
      const next = page.nextCursor === undefined ? [index + 1] : [index, page.nextCursor];
      const isLast = (next[0] as number) >= listed.length;
      return { resources: [...first, ...found], ...(isLast ? {} : { nextCursor: next.join(":") }) };
    },

    async "resources/templates/list"() {
      return { resourceTemplates: templates.map(listTemplate) };
    },

    async "resources/read"({ uri }) {
      if (typeof uri !== "string") throw new ProtocolFault(RPC_ERROR.invalidParams, "resources/read needs the uri of a resource.");
      for (const resource of [...resources, ...unlisted]) {
        const variables = matchUri(resource, uri);
        if (variables === undefined) continue;
        const content = await withProtocolCode(() => resource.read(variables), log, uri);
        const text = typeof content === "string" ? content : JSON.stringify(content);
        return { contents: [{ uri, mimeType: resource.mimeType ?? "application/json", text }] };
      }
      throw unknownResource(resources, uri);
    },
  };
}

export function unknownResource(resources: readonly Resource[], uri: string): ProtocolFault {
  const known = resources.map((resource) => resource.uri).join(", ");
  return new ProtocolFault(RPC_ERROR.resourceNotFound, `Unknown resource ${shorten(uri)}. There is: ${known}.`, { uri });
}

/** Returns the answers to all requests about prompts. */
export function promptRequests(prompts: readonly Prompt[], log: Log): Readonly<Record<string, Answer>> {
  return {
    async "prompts/list"() {
      return { prompts: prompts.map(listPrompt) };
    },

    async "prompts/get"({ name, arguments: given }) {
      const prompt = promptNamed(prompts, name);
      const values = textsOf(
        given,
        prompt.arguments.map((argument) => argument.name),
      );
      const missing = prompt.arguments.find((argument) => argument.required === true && values[argument.name] === undefined);
      if (missing !== undefined) throw new ProtocolFault(RPC_ERROR.invalidParams, `The prompt ${prompt.name} needs ${missing.name}.`);
      const parts = await withProtocolCode(() => prompt.write(values), log);
      return { description: prompt.description, messages: parts.map(messageOf) };
    },
  };
}

/** Returns the answer to requests that complete an argument of a prompt, or a variable of a resource's template. */
export function completionRequests(resources: readonly Resource[], prompts: readonly Prompt[], log: Log): Readonly<Record<string, Answer>> {
  return {
    async "completion/complete"({ ref, argument, context }) {
      const { type, name, uri } = (ref ?? {}) as Params;
      const { name: wanted, value = "" } = (argument ?? {}) as Params;
      if (typeof wanted !== "string" || typeof value !== "string") {
        throw new ProtocolFault(RPC_ERROR.invalidParams, "completion/complete needs argument.name and argument.value.");
      }
      const target = type === "ref/prompt" ? promptNamed(prompts, name) : templateAt(resources, uri);
      const known = ((context ?? {}) as { readonly arguments?: Variables }).arguments ?? {};
      const found = (await withProtocolCode(() => target.complete?.(wanted, value, known) ?? Promise.resolve([]), log)).slice(
        0,
        MOST_VALUES + 1,
      );
      return { completion: { values: found.slice(0, MOST_VALUES), hasMore: found.length > MOST_VALUES } };
    },
  };
}

function promptNamed(prompts: readonly Prompt[], name: unknown): Prompt {
  const prompt = prompts.find((each) => each.name === name);
  if (prompt !== undefined) return prompt;
  const known = prompts.map((each) => each.name).join(", ");
  throw new ProtocolFault(RPC_ERROR.invalidParams, `Unknown prompt ${shorten(String(name))}. The prompts of this server are: ${known}.`);
}

function templateAt(resources: readonly Resource[], uri: unknown): Resource {
  const resource = resources.find((each) => each.uri === uri);
  if (resource !== undefined) return resource;
  const known = resources.filter(isTemplate).map((each) => each.uri);
  throw new ProtocolFault(RPC_ERROR.invalidParams, `Unknown template ${shorten(String(uri))}. There is: ${known.join(", ")}.`);
}

/** Checks the arguments of a prompt, which are texts. Hosts send an empty text for a field that was left empty. */
function textsOf(given: unknown, known: readonly string[]): Variables {
  const values: Record<string, string> = {};
  for (const [name, value] of Object.entries((given ?? {}) as Params)) {
    if (!known.includes(name)) {
      throw new ProtocolFault(RPC_ERROR.invalidParams, `The prompt has no argument ${shorten(name)}. It has: ${known.join(", ")}.`);
    }
    if (typeof value !== "string") throw new ProtocolFault(RPC_ERROR.invalidParams, `The argument ${name} must be a text.`);
    if (value !== "") values[name] = value;
  }
  return values;
}

function parseCursor(cursor: unknown, templates: number): readonly [number, string | undefined] {
  const [, index = "", , inner] = (typeof cursor === "string" ? /^(\d{1,3})(:(\d{1,9}))?$/u.exec(cursor) : null) ?? [];
  if (index === "" || Number(index) >= templates) {
    throw new ProtocolFault(RPC_ERROR.invalidParams, "Unknown cursor. Use the nextCursor of an earlier page, or none.");
  }
  return [Number(index), inner];
}

/**
 * Turns a failure into a protocol error with the same text and details as a tool's: the protocol has no failed result for anything but
 * tools.
 */
export async function withProtocolCode<T>(work: () => Promise<T>, log: Log, uri?: string): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isWorkrailError(error)) log.error("a request failed unexpectedly", { uri, error });
    const { text, ...data } = toToolFailure(error);
    const code = isWorkrailError(error) && NOT_FOUND.has(error.code) ? RPC_ERROR.resourceNotFound : RPC_ERROR.internal;
    throw new ProtocolFault(code, inOwnName(text, "agent"), uri === undefined ? data : { uri, ...data });
  }
}
