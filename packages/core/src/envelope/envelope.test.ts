import { createHash } from "node:crypto";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isWorkrailError, WorkrailError } from "../errors.ts";
import { DEFAULT_LIMITS, LABEL_LIMITS } from "../model/limits.ts";
import { CHECKPOINT_KINDS, type CheckpointFacts } from "../model/checkpoint.ts";
import type { JsonObject } from "../model/context.ts";
import type { CheckpointId, Digest, SessionId } from "../model/ids.ts";
import { encodeUtf8 } from "../json/utf8.ts";
import type { Codec } from "../ports/codec.ts";
import type { Digester } from "../ports/environment.ts";
import { decodeBlob, decodeEnvelope, encodeDelta, encodeEnvelope, MAX_ENVELOPE_BYTES } from "./envelope.ts";
import { completeFacts } from "./envelope-json.ts";
import { anyCharacter } from "../../../storage-conformance/test/any-character.ts";

const digests: Digester = { sha256: (data) => createHash("sha256").update(data).digest("hex") as Digest };

function factsOf(context: string, given: Partial<CheckpointFacts> = {}): CheckpointFacts {
  return {
    id: "c1" as CheckpointId,
    sessionId: "s1" as SessionId,
    parentId: null,
    kind: "workflow",
    createdAt: new Date("2026-02-03T04:05:06.789Z"),
    agentId: undefined,
    workflowId: undefined,
    project: undefined,
    name: undefined,
    tags: [],
    attributes: {},
    exactDigest: digests.sha256(context),
    canonicalDigest: digests.sha256(`canonical ${context}`),
    contextBytes: Buffer.byteLength(context),
    layers: undefined,
    writer: "workrail/0.0.0",
    ...given,
  };
}

function encode(context: string, given: Partial<CheckpointFacts> = {}): Uint8Array {
  return encodeEnvelope(factsOf(context, given), Buffer.from(context), digests);
}

/** Returns the same blob with another header and a matching digest. */
function withEnvelope(change: (envelope: Record<string, unknown>) => void, format = 1): Uint8Array {
  const { context, envelope } = JSON.parse(Buffer.from(encode(`{"a":1}`)).toString()) as {
    context: JsonObject;
    envelope: Record<string, unknown>;
  };
  change(envelope);
  const text = JSON.stringify(envelope);
  return Buffer.from(
    `{"workrail":${format},"check":"${digests.sha256(text).slice(0, 16)}","envelope":${text},\n"context":${JSON.stringify(context)}}\n`,
  );
}

function codeOf(bytes: Uint8Array): string {
  try {
    decodeEnvelope(bytes, digests);
    return "decoded";
  } catch (error) {
    if (isWorkrailError(error)) return error.code;
    throw error;
  }
}

const label = fc.option(fc.string({ unit: "grapheme", minLength: 1, maxLength: 30 }), { nil: undefined });
const facts = fc.record({
  parentId: fc.constantFrom(null, "parent" as CheckpointId),
  kind: fc.constantFrom(...CHECKPOINT_KINDS),
  createdAt: fc.date({ min: new Date(0), max: new Date("9999-12-31"), noInvalidDate: true }),
  agentId: label,
  workflowId: label,
  project: label,
  name: label,
  tags: fc.array(fc.string({ minLength: 1 })),
  attributes: fc.dictionary(fc.oneof(fc.string(), fc.constant("__proto__")), fc.jsonValue()) as fc.Arbitrary<JsonObject>,
  layers: fc.constantFrom(undefined, {}, { CRITICAL: 2, EPHEMERAL: 0 }),
});

it("returns the facts and the context's text, byte for byte", () => {
  fc.assert(
    fc.property(facts, fc.dictionary(fc.string({ unit: anyCharacter }), fc.jsonValue()), (given, context) => {
      const text = JSON.stringify(context);
      const decoded = decodeEnvelope(encode(text, given), digests);
      expect(decoded).toMatchObject({ kind: "whole", context: encodeUtf8(text) });
      // Compared through JSON, which has no -0.
      const attributes = JSON.parse(JSON.stringify(given.attributes)) as JsonObject;
      expect(decoded.facts).toEqual(factsOf(text, { ...given, attributes }));
    }),
    { numRuns: 500 },
  );
});

it("is two lines that any JSON reader understands", () => {
  const context = { plan: "line\nbreak", "\u2028": "ü" };
  const text = Buffer.from(encode(JSON.stringify(context), { name: "first", tags: ["a"] })).toString();
  expect(text.split("\n")).toHaveLength(3);
  expect(text.endsWith("}\n")).toBe(true);
  expect(JSON.parse(text)).toMatchObject({
    workrail: 1,
    envelope: { name: "first", tags: ["a"], created: "2026-02-03T04:05:06.789Z" },
    context,
  });
});

it("omits default values", () => {
  const size = encode("{}", { id: "x".repeat(36) as CheckpointId, sessionId: "y".repeat(36) as SessionId }).length;
  expect(size).toBeLessThan(400);
});

it("keeps lone surrogates and keys named __proto__", () => {
  const text = JSON.stringify({ "\ud800": "\udfff", nested: JSON.parse(`{"__proto__":{"a":1}}`) as unknown });
  expect(decodeEnvelope(encode(text), digests)).toMatchObject({ kind: "whole", context: encodeUtf8(text) });
});

it("detects every changed byte that changes the result", () => {
  const original = encode(`{"plan":"read","list":[1,2,{"ü":null}]}`, { name: "name", tags: ["t"], attributes: { a: 1 } });
  const expected = JSON.stringify(decodeEnvelope(original, digests));
  const fates = new Map<string, number>();
  for (let index = 0; index < original.length; index++) {
    for (let bit = 0; bit < 8; bit++) {
      const damaged = Uint8Array.from(original);
      damaged[index] = (damaged[index] ?? 0) ^ (1 << bit);
      let fate = codeOf(damaged);
      if (fate === "decoded" && JSON.stringify(decodeEnvelope(damaged, digests)) === expected) fate = "the same";
      fates.set(fate, (fates.get(fate) ?? 0) + 1);
    }
  }
  expect([...fates.keys()].toSorted()).toEqual(["CHECKPOINT_CORRUPT", "UNSUPPORTED_VERSION", "the same"]);
  // Only bytes around the digested texts can change unnoticed, and only a higher format number looks newer.
  expect(fates.get("the same")).toBeLessThan(20);
  expect(fates.get("UNSUPPORTED_VERSION")).toBeLessThan(5);
});

it("detects truncation, appended and inserted bytes", () => {
  const original = encode(`{"plan":"read"}`);
  for (let length = 0; length < original.length; length++) {
    expect([length, codeOf(original.subarray(0, length))]).toEqual([length, "CHECKPOINT_CORRUPT"]);
  }
  expect(codeOf(Buffer.concat([original, Buffer.from("\n")]))).toBe("CHECKPOINT_CORRUPT");
  expect(codeOf(Buffer.concat([original, original]))).toBe("CHECKPOINT_CORRUPT");
  expect(codeOf(Buffer.from(Buffer.from(original).toString().replace(`,\n`, `,"more":1,\n`)))).toBe("CHECKPOINT_CORRUPT");
});

describe("a blob of a newer version", () => {
  it.each<[string, Uint8Array]>([
    ["in a newer format", withEnvelope(() => {}, 3)],
    ["of a kind that we do not know", withEnvelope((envelope) => (envelope["kind"] = "timeline"))],
  ])("%s is told apart from damage", (_, bytes) => {
    expect(codeOf(bytes)).toBe("UNSUPPORTED_VERSION");
  });

  it("is reported as newer although its content is unreadable", () => {
    expect(codeOf(Buffer.from(`{"workrail":7,"somethingElse":true}\n...`))).toBe("UNSUPPORTED_VERSION");
  });

  it("may have unknown fields", () => {
    expect(codeOf(withEnvelope((envelope) => (envelope["mood"] = "good")))).toBe("decoded");
  });
});

/** Blob in the first format, for a checkpoint with the context `{"a":1}`. */
const FIRST_FORMAT = {
  check: "1fdc93508906230c",
  envelope:
    `{"id":"c1","session":"s1","parent":"c2","created":"2026-02-03T04:05:06.789Z","name":"name","tags":["t"],"bytes":7,` +
    `"sha256":"015abd7f5cc57a2dd94b7590f04ad8084273905ee33ec5cebeae62276a97f862","writer":"workrail/0.0.0","base":"c0"}`,
};

describe("a delta", () => {
  const BASE = factsOf(`{"b":1}`, { id: "c0" as CheckpointId });
  const delta = { object: { drop: ["__proto__", "a/b"], change: { "\n": { set: "\ud800" } } } };

  it("returns its base, the delta and its facts, except the canonical digest", () => {
    fc.assert(
      fc.property(facts, facts, fc.boolean(), (given, givenToBase, isAlike) => {
        const plain = (some: Partial<CheckpointFacts>) => ({
          ...some,
          attributes: JSON.parse(JSON.stringify(some.attributes)) as JsonObject,
        });
        const all = factsOf(`{"a":1}`, plain(given));
        const other = isAlike ? all : factsOf(`{"b":1}`, plain(givenToBase));
        const base = { ...other, id: "c0" as CheckpointId, sessionId: all.sessionId };
        const decoded = decodeEnvelope(encodeDelta({ facts: all, base, delta }, digests), digests);
        if (decoded.kind !== "delta") throw new Error("It is no delta.");
        expect([decoded.base, decoded.delta]).toEqual(["c0", delta]);
        expect(completeFacts(decoded.facts, base)).toStrictEqual({ ...all, canonicalDigest: undefined });
      }),
    );
  });

  it("omits facts that equal those of its base", () => {
    const given = { agentId: "an agent", name: "a name", tags: ["t"], attributes: { a: 1 } };
    const text = Buffer.from(
      encodeDelta({ facts: factsOf("{}", given), base: { ...BASE, ...given, name: undefined }, delta }, digests),
    ).toString();
    expect(Object.keys(JSON.parse(text) as JsonObject)).toEqual([
      "workrail",
      "check",
      "id",
      "base",
      "earlier",
      "bytes",
      "sha256",
      "name",
      "delta",
    ]);
  });

  it("is two lines that any JSON reader understands", () => {
    const text = Buffer.from(encodeDelta({ facts: factsOf("{}"), base: BASE, delta }, digests)).toString();
    expect(text.split("\n")).toHaveLength(3);
    expect(JSON.parse(text)).toMatchObject({ workrail: 2, id: "c1", base: "c0", delta });
  });

  it("of the first format contains all facts", () => {
    const all = factsOf(`{"a":1}`, { name: "name", tags: ["t"], parentId: "c2" as CheckpointId });
    const old = `{"workrail":1,"check":"${FIRST_FORMAT.check}","envelope":${FIRST_FORMAT.envelope},\n"delta":{"keep":true}}\n`;
    const decoded = decodeEnvelope(Buffer.from(old), digests);
    if (decoded.kind !== "delta") throw new Error("It is no delta.");
    const base = { ...BASE, sessionId: "another" as SessionId, agentId: "another", createdAt: new Date(0) };
    expect(completeFacts(decoded.facts, base)).toStrictEqual({ ...all, canonicalDigest: undefined });
  });

  it("is corrupt or newer after any bit flip", () => {
    const original = Buffer.from(
      encodeDelta({ facts: factsOf("{}", { agentId: "an agent" }), base: BASE, delta: { keep: true } }, digests),
    );
    const line = original.indexOf("\n");
    const fates = new Map<string, number>();
    for (let index = 0; index < line; index++) {
      for (let bit = 0; bit < 8; bit++) {
        const damaged = Uint8Array.from(original);
        damaged[index] = (damaged[index] as number) ^ (1 << bit);
        const fate = codeOf(damaged);
        fates.set(fate, (fates.get(fate) ?? 0) + 1);
      }
    }
    expect([...fates.keys()].toSorted()).toEqual(["CHECKPOINT_CORRUPT", "UNSUPPORTED_VERSION"]);
    expect(fates.get("UNSUPPORTED_VERSION")).toBeLessThan(5);
  });

  it.each<[string, string]>([
    ["id", `"id":"../x"`],
    ["base", `"base":7`],
    ["earlier", `"earlier":"yesterday"`],
    ["bytes", `"bytes":-1`],
    ["sha256", `"sha256":"abc"`],
    ["parent", `"parent":[]`],
    ["tags", `"tags":[1]`],
    ["name", `"name":{}`],
    ["writer", `"writer":null`],
  ])("that is digested and yet has a senseless %s is corrupt", (_, field) => {
    const said = `"id":"c1","base":"c0","earlier":1,"bytes":2,"sha256":"${"0".repeat(64)}","writer":"w",${field}`;
    const text = `{"workrail":2,"check":"${digests.sha256(said).slice(0, 8)}",${said},\n"delta":{"keep":true}}\n`;
    expect(codeOf(Buffer.from(text))).toBe("CHECKPOINT_CORRUPT");
  });

  it.each<[string, (text: string) => string]>([
    ["without its delta", (text) => text.replace(/"delta":.*\}/, "}")],
    ["with a context instead", (text) => text.replace(`"delta":`, `"context":`)],
    ["with a delta that is no JSON", (text) => text.replace(`"delta":{`, `"delta":{{`)],
    ["cut", (text) => text.slice(0, -2)],
  ])("%s is corrupt", (_, change) => {
    const text = Buffer.from(encodeDelta({ facts: factsOf("{}"), base: BASE, delta }, digests)).toString();
    expect(codeOf(Buffer.from(change(text)))).toBe("CHECKPOINT_CORRUPT");
  });

  it("whose base is no id is corrupt", () => {
    expect(codeOf(withEnvelope((envelope) => (envelope["base"] = "../x")))).toBe("CHECKPOINT_CORRUPT");
  });
});

describe("an invalid envelope with a valid check is corrupt", () => {
  it.each<[string, (envelope: Record<string, unknown>) => void]>([
    ["id", (envelope) => (envelope["id"] = "../../x")],
    ["session", (envelope) => delete envelope["session"]],
    ["parent", (envelope) => (envelope["parent"] = 5)],
    ["created", (envelope) => (envelope["created"] = "yesterday")],
    ["sha256", (envelope) => (envelope["sha256"] = "abc")],
    ["canonical", (envelope) => (envelope["canonical"] = null)],
    ["bytes", (envelope) => (envelope["bytes"] = 6)],
    ["bytes that are no number", (envelope) => (envelope["bytes"] = "seven")],
    ["tags", (envelope) => (envelope["tags"] = ["a", 1])],
    ["attributes", (envelope) => (envelope["attributes"] = [])],
    ["name", (envelope) => (envelope["name"] = {})],
    ["writer", (envelope) => delete envelope["writer"]],
  ])("%s", (_, change) => {
    expect(codeOf(withEnvelope(change))).toBe("CHECKPOINT_CORRUPT");
  });
});

it.each([
  ["", "nothing"],
  ["\n", "an empty line"],
  ["null\n", "null"],
  ["[]\n", "an array"],
  [`{"context":{}}\n`, "other JSON"],
  [`{"workrail":"1","envelope":{}}\n`, "a version that is no number"],
  [`{"workrail":1,"envelope":{}}\n`, "no digest"],
  [`{"workrail":1,"check":"x"}\n`, "no envelope"],
  ["\xff\xfe\n", "no UTF-8"],
])("calls %j corrupt: it is %s", (text) => {
  expect(codeOf(Buffer.from(text, "latin1"))).toBe("CHECKPOINT_CORRUPT");
});

it("refuses to write facts that cannot be read back", () => {
  expect(() => encode("{}", { project: 5 as unknown as string })).toThrow(expect.objectContaining({ code: "INTERNAL" }) as Error);
});

it("has room for the longest labels, every character escaped", () => {
  const worst = "\u0001";
  const bytes = encode("{}", {
    name: worst.repeat(LABEL_LIMITS.nameLength),
    agentId: worst.repeat(LABEL_LIMITS.nameLength),
    workflowId: worst.repeat(LABEL_LIMITS.nameLength),
    project: worst.repeat(LABEL_LIMITS.pathLength),
    tags: Array.from({ length: LABEL_LIMITS.tags }, () => worst.repeat(LABEL_LIMITS.tagLength)),
    attributes: { text: worst.repeat(LABEL_LIMITS.attributesLength) },
  });
  expect(bytes.length).toBeLessThan(MAX_ENVELOPE_BYTES);
});

describe("a stored blob", () => {
  const codec: Codec = {
    id: "plain",
    encode: async (bytes) => bytes,
    decode: async (bytes, maxBytes) => {
      if (bytes.length > maxBytes) throw new WorkrailError("TOO_LARGE", "It is too large.");
      return bytes;
    },
  };

  it("is decoded within the limit of a context and its envelope", async () => {
    const bytes = encode(`{"a":"${"x".repeat(5_000)}"}`);
    const enough = { codec, digests, limits: { maxContextBytes: 10_000 } };
    expect((await decodeBlob(enough, bytes)).facts.contextBytes).toBe(5_008);
    const large = encode(`{"a":"${"x".repeat(MAX_ENVELOPE_BYTES + 10_000)}"}`);
    await expect(decodeBlob(enough, large)).rejects.toMatchObject({ code: "TOO_LARGE" });
    await expect(decodeBlob({ codec, digests, limits: DEFAULT_LIMITS }, large)).resolves.toBeDefined();
  });
});
