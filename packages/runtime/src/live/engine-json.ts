import { isJsonObject, WorkrailError, type JsonObject, type JsonValue } from "@workrail/core";
import type { Condensation, EngineState, LoopState } from "./enhanced-context.ts";

/** Version of the stored form of an engine's state. A new form gets a higher number. */
const VERSION = 1;

/** Converts the state to its stored form, without empty fields. */
export function engineToJson({ phase, step, completedPhases, loops, condensed, rewritten }: EngineState): JsonObject {
  return {
    version: VERSION,
    ...(phase === undefined ? {} : { phase }),
    ...(step === undefined ? {} : { step }),
    ...(completedPhases.length === 0 ? {} : { completedPhases }),
    ...(Object.keys(loops).length === 0 ? {} : { loops }),
    ...(condensed.length === 0 ? {} : { condensed: condensed.map((each) => ({ ...each })) }),
    ...(rewritten.length === 0 ? {} : { rewritten }),
  };
}

/**
 * Parses the stored form of an engine's state.
 *
 * @param name place of the state, for messages.
 * @throws INVALID_INPUT naming the place; UNSUPPORTED_VERSION for the form of a later version.
 */
export function engineFromJson(json: JsonValue, name: string): EngineState {
  const { version, phase, step, completedPhases = [], loops = {}, condensed = [], rewritten = [] } = object(json, name);
  if (typeof version !== "number" || !Number.isInteger(version)) refuse(`${name}.version`, "must be a whole number");
  if (version > VERSION) {
    throw new WorkrailError(
      "UNSUPPORTED_VERSION",
      `${name} has format version ${version}; this Workrail knows versions up to ${VERSION}.`,
      {
        details: { field: name, version },
        hint: "Resume with the version of Workrail that saved it, or a later one.",
      },
    );
  }
  return {
    ...(phase === undefined ? {} : { phase: text(phase, `${name}.phase`) }),
    ...(step === undefined ? {} : { step: text(step, `${name}.step`) }),
    completedPhases: texts(completedPhases, `${name}.completedPhases`),
    loops: checkLoops(loops, `${name}.loops`),
    condensed: list(condensed, `${name}.condensed`).map((each, index) => condensationOf(each, `${name}.condensed[${index}]`)),
    rewritten: texts(rewritten, `${name}.rewritten`),
  };
}

/**
 * Checks the state of loops.
 *
 * @throws INVALID_INPUT naming the invalid loop.
 */
export function checkLoops(json: JsonValue, name: string): EngineState["loops"] {
  const loops = object(json, name);
  for (const [id, state] of Object.entries(loops)) {
    const { iteration } = object(state, `${name}[${JSON.stringify(id)}]`);
    if (typeof iteration !== "number" || !Number.isSafeInteger(iteration) || iteration < 0) {
      refuse(`${name}[${JSON.stringify(id)}].iteration`, "must be a whole number from 0");
    }
  }
  return loops as { readonly [id: string]: LoopState };
}

function condensationOf(json: JsonValue, name: string): Condensation {
  const { checkpointId, validUntil, keys } = object(json, name);
  return {
    checkpointId: text(checkpointId, `${name}.checkpointId`),
    validUntil: text(validUntil, `${name}.validUntil`),
    keys: texts(keys, `${name}.keys`),
  };
}

function object(value: JsonValue | undefined, place: string): JsonObject {
  if (!isJsonObject(value)) refuse(place, "must be an object");
  return value;
}

function list(value: JsonValue | undefined, place: string): readonly JsonValue[] {
  if (!Array.isArray(value)) refuse(place, "must be a list");
  return value as readonly JsonValue[];
}

function texts(value: JsonValue | undefined, place: string): readonly string[] {
  return list(value, place).map((each, index) => text(each, `${place}[${index}]`));
}

function text(value: JsonValue | undefined, place: string): string {
  if (typeof value !== "string") refuse(place, "must be a text");
  return value;
}

function refuse(place: string, rule: string): never {
  throw new WorkrailError("INVALID_INPUT", `${place} ${rule}.`, {
    details: { field: place },
    hint: "Use the value that prepareForPersistence wrote. Load the whole checkpoint: a view may have shortened it.",
  });
}
