import { checkJson, type Context, isJsonObject, isWorkrailError, type JsonObject, type JsonValue, parseJson } from "@workrail/core";
import { Entries } from "./entries.ts";

/** No line of the program nests deeper than three levels. */
const LIMITS = { maxDepth: 32, maxKeys: 100_000 };

interface Entity {
  readonly name: string;
  readonly facts: JsonObject;
}

/** Collects the entities and relations of server-memory line by line. */
export class KnowledgeGraph {
  readonly #entities: Entity[] = [];
  readonly #relations: (JsonObject & { readonly from: string })[] = [];

  /**
   * Takes one line. Skips empty lines, as the program does.
   *
   * @param text `undefined`: the line is not UTF-8.
   * @returns the reason why the line was skipped.
   */
  addLine(text: string | undefined): string | undefined {
    if (text === undefined) return "it is not UTF-8";
    if (text.trim() === "") return undefined;
    const item = parsed(text);
    if (item === undefined) return "it is not a JSON object";
    if (item["type"] === "entity") return this.#addEntity(item);
    if (item["type"] === "relation") return this.#addRelation(item);
    return "it is neither an entity nor a relation";
  }

  /** Each entity under its name, in the order of the file. */
  toContext(): Context {
    // The program resolves a name to its first entity, so relations do the same here.
    const begun = new Map<string, JsonObject[]>(this.#entities.map(({ name }) => [name, []]));
    const loose: JsonValue[] = [];
    for (const { from, ...relation } of this.#relations) {
      const relations = begun.get(from);
      if (relations === undefined) loose.push({ from, ...relation });
      else relations.push(relation);
    }
    const entries = new Entries();
    for (const { name, facts } of this.#entities) {
      entries.add(name, withRelations(facts, begun.get(name) ?? []));
      begun.delete(name);
    }
    if (loose.length > 0) entries.add("relations", loose);
    return entries.toContext();
  }

  #addEntity({ type: _type, name, ...facts }: JsonObject): string | undefined {
    if (typeof name !== "string") return "it is an entity without a name";
    this.#entities.push({ name, facts });
    return undefined;
  }

  #addRelation({ type: _type, from, ...facts }: JsonObject): string | undefined {
    if (typeof from !== "string" || typeof facts["to"] !== "string") return "it is a relation without an end";
    this.#relations.push({ ...facts, from });
    return undefined;
  }
}

function withRelations(facts: JsonObject, relations: readonly JsonObject[]): JsonObject {
  if (relations.length === 0) return facts;
  const entries = new Entries();
  for (const [key, value] of Object.entries(facts)) entries.add(key, value);
  entries.add("relations", byType(relations));
  return entries.toContext();
}

/** The targets of relations by type, as names. A relation with unknown fields stays an object. */
function byType(relations: readonly JsonObject[]): JsonObject {
  const types = new Map<string, JsonValue[]>();
  for (const { relationType, ...rest } of relations) {
    const type = typeof relationType === "string" ? relationType : "";
    const { to = null, ...more } = rest;
    const ends = types.get(type) ?? [];
    ends.push(Object.keys(more).length > 0 || typeof relationType !== "string" ? { relationType: relationType ?? null, ...rest } : to);
    types.set(type, ends);
  }
  return Object.fromEntries(types);
}

/** `undefined` for text that is no JSON object, or nested too deep. */
function parsed(text: string): JsonObject | undefined {
  try {
    const value = parseJson(text);
    if (!isJsonObject(value)) return undefined;
    checkJson(value, LIMITS, "line");
    return value;
  } catch (error) {
    if (error instanceof SyntaxError || isWorkrailError(error)) return undefined;
    throw error;
  }
}
