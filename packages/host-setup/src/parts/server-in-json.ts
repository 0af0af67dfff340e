import { isDeepStrictEqual } from "node:util";
import { type JsonPath, nodeAt, replaceValue, valueAt } from "../json/edit-json.ts";
import { addMember, asRecord, isLeftOver, removeWithContainers, startOf } from "../json/json-members.ts";
import { isBlankJson, type JsonFile, type JsonSource, readJsonText, refusal } from "../json/json-text.ts";
import { type HostPart, NO_FINDINGS, type Program } from "../host-part.ts";
import { ENTRY_NAME, isOurServer } from "../our-program.ts";

type Entry = Readonly<Record<string, unknown>>;

export interface ServerInJson extends JsonFile {
  /** Names of the objects around the entry. */
  readonly under: readonly string[];
  /** Members that the host itself adds to a file. */
  readonly addedByHost?: readonly string[];
  /** The entry in the form of the host. */
  readonly entry: (server: Program) => Entry;
}

/** The MCP entry of a host that keeps its servers in JSON. */
export function serverInJson(json: ServerInJson, server: Program): HostPart {
  const path = [...json.under, ENTRY_NAME];
  const { file, dialect } = json;
  return {
    kind: "mcp",
    file,
    entries: `MCP server "${ENTRY_NAME}"`,
    add: (text) => withServer(startOf(json, text), path, json.entry(server)).text,
    remove(text, before) {
      if (isBlankJson(text, dialect)) return text;
      const source = readJsonText(json, text);
      if (!isOurServer(wordsOf(valueAt(source, path)))) return text;
      return removeWithContainers(source, path, before).text;
    },
    isLeftOver: (text) => isLeftOver(json, text, json.addedByHost),
    inspect(text) {
      if (isBlankJson(text, dialect)) return NO_FINDINGS;
      const [command, ...args] = wordsOf(valueAt(readJsonText(json, text), path));
      return command === undefined ? NO_FINDINGS : { ...NO_FINDINGS, server: { command, args } };
    },
  };
}

function withServer(source: JsonSource, path: JsonPath, entry: Entry): JsonSource {
  if (nodeAt(source, path) === undefined) return addMember(source, path, entry);
  if (!isOurServer(wordsOf(valueAt(source, path)))) throw otherServer(source.file, path);
  return updated(source, path, entry);
}

/** Updates the command of the entry, and keeps members that a person added, such as `env`. */
function updated(there: JsonSource, path: JsonPath, entry: Entry): JsonSource {
  let source = there;
  for (const name of ["command", "args"].filter((each) => each in entry)) {
    const node = nodeAt(source, [...path, name]);
    const value = entry[name];
    if (node === undefined) source = addMember(source, [...path, name], value);
    else if (!isDeepStrictEqual(valueAt(source, [...path, name]), value)) {
      source = readJsonText(source, replaceValue(source, node, value));
    }
  }
  return source;
}

/** Returns the command and the arguments of an entry. Some hosts put both in one list. */
function wordsOf(entry: unknown): readonly string[] {
  const { command, args } = asRecord(entry);
  return [command, args].flat().filter((word) => typeof word === "string");
}

function otherServer(file: string, path: JsonPath): Error {
  return refusal(file, `"${path.join(".")}" exists and starts another program`, {
    hint: "Give that entry another name, or leave the MCP entry out with --no-mcp.",
  });
}
