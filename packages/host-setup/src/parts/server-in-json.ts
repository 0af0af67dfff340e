import { isDeepStrictEqual } from "node:util";
import { type JsonPath, nodeAt, replaceValue, valueAt } from "../json/edit-json.ts";
import { addMember, asRecord, type JsonFile, isLeftOver, removeWithContainers, startOf } from "../json/json-members.ts";
import { isBlankJson, readJsonText, refusal } from "../json/json-text.ts";
import { type HostPart, NO_FINDINGS, type Program } from "../host-part.ts";
import { ENTRY_NAME, isOurServer } from "../our-program.ts";

type Entry = Readonly<Record<string, unknown>>;

export interface ServerInJson extends JsonFile {
  /** Names of the objects around the entry. */
  readonly under: readonly string[];
  /** Members that the host itself adds to a file. */
  readonly written?: readonly string[];
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
    add: (text) => withServer(json, text, path, json.entry(server)),
    remove(text, before) {
      if (isBlankJson(text, dialect)) return text;
      const source = readJsonText(text, dialect, file);
      if (!isOurServer(wordsOf(valueAt(source, path)))) return text;
      return removeWithContainers(json, source, path, before).text;
    },
    isLeftOver: (text) => isLeftOver(json, text, json.written),
    inspect(text) {
      if (isBlankJson(text, dialect)) return NO_FINDINGS;
      const [command, ...args] = wordsOf(valueAt(readJsonText(text, dialect, file), path));
      return command === undefined ? NO_FINDINGS : { ...NO_FINDINGS, server: { command, args } };
    },
  };
}

function withServer(json: ServerInJson, text: string | undefined, path: JsonPath, entry: Entry): string {
  const source = startOf(json, text);
  const node = nodeAt(source, path);
  if (node === undefined) return addMember(json, source, path, entry).text;
  const there = valueAt(source, path);
  if (!isOurServer(wordsOf(there))) throw otherServer(json.file, path);
  return updated(json, source.text, path, entry);
}

/** Updates the command of the entry, and keeps members that a person added, such as `env`. */
function updated(json: ServerInJson, text: string, path: JsonPath, entry: Entry): string {
  let source = readJsonText(text, json.dialect, json.file);
  for (const name of ["command", "args"].filter((each) => each in entry)) {
    const node = nodeAt(source, [...path, name]);
    const value = entry[name];
    if (node === undefined) source = addMember(json, source, [...path, name], value);
    else if (!isDeepStrictEqual(valueAt(source, [...path, name]), value)) {
      source = readJsonText(replaceValue(source, node, value), json.dialect, json.file);
    }
  }
  return source.text;
}

/** The command of an entry and its arguments, however the host spells them. */
function wordsOf(entry: unknown): readonly string[] {
  const { command, args } = asRecord(entry);
  return [command, args].flat().filter((word) => typeof word === "string");
}

function otherServer(file: string, path: JsonPath): Error {
  return refusal(
    file,
    `"${path.join(".")}" exists and starts another program`,
    "Give that entry another name, or leave the MCP entry out with --no-mcp.",
  );
}
