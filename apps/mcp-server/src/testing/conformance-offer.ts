import type { Log } from "@workrail/core";
import type { Offer } from "../catalogue.ts";
import type { Notify } from "../progress.ts";
import type { Askable } from "../question.ts";
import { ProtocolFault, RPC_ERROR } from "../json-rpc.ts";

/** One pixel. */
const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";
/** No sound. */
const WAV = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=";

const text = (said: string): object => ({ type: "text", text: said });
const image = { type: "image", data: PNG, mimeType: "image/png" };
const embedded = (uri: string, mimeType: string, said: string): object => ({ type: "resource", resource: { uri, mimeType, text: said } });

type Answer = Readonly<Record<string, unknown>>;

/** Tools of the conformance suite, by name, with their results. */
const TOOLS: Readonly<Record<string, Answer>> = {
  test_simple_text: { content: [text("This is a simple text response for testing.")] },
  test_image_content: { content: [image] },
  test_audio_content: { content: [{ type: "audio", data: WAV, mimeType: "audio/wav" }] },
  test_embedded_resource: {
    content: [embedded("test://embedded-resource", "text/plain", "This is an embedded resource content.")],
  },
  test_multiple_content_types: {
    content: [
      text("Multiple content types test:"),
      image,
      embedded("test://mixed-content-resource", "application/json", '{"test":"data","value":123}'),
    ],
  },
  test_error_handling: { content: [text("This tool intentionally returns an error for testing")], isError: true },
};

const JSON_SCHEMA = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object",
  $defs: { address: { $anchor: "addressDef", type: "object", properties: { street: { type: "string" }, city: { type: "string" } } } },
  properties: {
    name: { type: "string" },
    address: { $ref: "#/$defs/address" },
    contactMethod: { type: "string", enum: ["phone", "email"] },
    phone: { type: "string" },
    email: { type: "string" },
  },
  allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
  if: { properties: { contactMethod: { const: "phone" } }, required: ["contactMethod"] },
  // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
  then: { required: ["phone"] },
  else: { required: ["email"] },
  additionalProperties: false,
};

const RESOURCES: readonly Readonly<Record<string, string>>[] = [
  { uri: "test://static-text", mimeType: "text/plain", text: "This is the content of the static text resource." },
  { uri: "test://static-binary", mimeType: "image/png", blob: PNG },
];

const PROMPTS: Readonly<Record<string, (given: Readonly<Record<string, string>>) => readonly object[]>> = {
  test_simple_prompt: () => [text("This is a simple prompt for testing.")],
  test_prompt_with_arguments: ({ arg1, arg2 }) => [text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)],
  test_prompt_with_embedded_resource: ({ resourceUri = "" }) => [
    embedded(resourceUri, "text/plain", "Embedded resource content for testing."),
    text("Please process the embedded resource above."),
  ],
  test_prompt_with_image: () => [image, text("Please analyze the image above.")],
};

const ARGUMENTS: Readonly<Record<string, readonly string[]>> = {
  test_prompt_with_arguments: ["arg1", "arg2"],
  test_prompt_with_embedded_resource: ["resourceUri"],
};

const PROGRESS = "test_tool_with_progress";

/** Reports three steps, as the suite expects. */
async function inSteps({ _meta: meta }: Answer, notify: Notify): Promise<Record<string, unknown>> {
  const { progressToken } = (meta ?? {}) as { readonly progressToken?: unknown };
  for (const progress of [0, 50, 100]) await notify({ method: "notifications/progress", params: { progressToken, progress, total: 100 } });
  return { content: [text("Done.")] };
}

const ELICITS = "test_input_required_result_elicitation";

/** Asks for a name, and greets the one who was named. */
function greet({ answers }: Askable): Record<string, unknown> {
  if (answers === undefined) return { content: [text("This client asks nobody.")], isError: true };
  const { content } = (answers["user_name"] ?? {}) as { readonly content?: { readonly name?: string } };
  if (content !== undefined) return { content: [text(`Hello, ${content.name}!`)] };
  const requestedSchema = { type: "object", properties: { name: { type: "string" } }, required: ["name"] };
  const params = { mode: "form", message: "What is your name?", requestedSchema };
  return { resultType: "input_required", inputRequests: { user_name: { method: "elicitation/create", params } } };
}

const METHODS: Readonly<Record<string, (params: Answer) => Record<string, unknown>>> = {
  "tools/list": () => ({
    tools: [
      ...[...Object.keys(TOOLS), PROGRESS, ELICITS].map((name) => ({
        name,
        description: "Part of the conformance suite.",
        inputSchema: { type: "object" },
      })),
      { name: "json_schema_2020_12_tool", description: "Has a schema of draft 2020-12.", inputSchema: JSON_SCHEMA },
    ],
  }),
  "tools/call": ({ name }) => ({ ...(TOOLS[String(name)] ?? unknown("tool", name)) }),
  "resources/list": () => ({ resources: RESOURCES.map(({ uri, mimeType }) => ({ uri, mimeType, name: uri })) }),
  "resources/templates/list": () => ({
    resourceTemplates: [{ uriTemplate: "test://template/{id}/data", name: "template", mimeType: "application/json" }],
  }),
  "resources/read": ({ uri }) => ({ contents: [RESOURCES.find((each) => each["uri"] === uri) ?? templated(uri)] }),
  "prompts/list": () => ({
    prompts: Object.keys(PROMPTS).map((name) => ({
      name,
      description: "Part of the conformance suite.",
      arguments: (ARGUMENTS[name] ?? []).map((argument) => ({ name: argument, required: true })),
    })),
  }),
  "prompts/get": ({ name, arguments: given = {} }) => {
    const write = PROMPTS[String(name)] ?? unknown("prompt", name);
    return { messages: write(given as Readonly<Record<string, string>>).map((content) => ({ role: "user", content })) };
  },
  "completion/complete": () => ({ completion: { values: [], total: 0, hasMore: false } }),
};

function templated(uri: unknown): object {
  const [, id] = /^test:\/\/template\/([^/]+)\/data$/u.exec(String(uri)) ?? [];
  if (id === undefined) throw new ProtocolFault(RPC_ERROR.resourceNotFound, "There is no such resource.", { uri });
  return { uri, mimeType: "application/json", text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }) };
}

function unknown(kind: string, name: unknown): never {
  throw new ProtocolFault(RPC_ERROR.invalidParams, `There is no ${kind} ${String(name)}.`);
}

/** Offers the tools, resources and prompts that the conformance suite looks for, as far as an offer can have them. */
export function conformanceOffer(log: Log): Offer {
  return {
    info: { name: "conformance", title: "Conformance", version: "1.0.0" },
    instructions: "For the conformance suite.",
    capabilities: { tools: {}, resources: {}, prompts: {}, completions: {} },
    methods: Object.keys(METHODS),
    log,
    async answer({ method, params = {} }, caller) {
      if (method === "tools/call" && params["name"] === PROGRESS) return inSteps(params, caller.notify);
      if (method === "tools/call" && params["name"] === ELICITS) return greet(caller);
      const answer = METHODS[method];
      if (answer === undefined) throw new ProtocolFault(RPC_ERROR.methodNotFound, `There is no method ${method}.`);
      return answer(params);
    },
  };
}
