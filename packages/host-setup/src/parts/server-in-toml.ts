import { isDeepStrictEqual } from "node:util";
import { parse, patch, TomlFormat } from "@decimalturn/toml-patch";
import { type HostPart, NO_FINDINGS, type Program } from "../host-part.ts";
import { asRecord } from "../json/json-members.ts";
import { refusal } from "../json/json-text.ts";
import { ENTRY_NAME, isOurServer } from "../our-program.ts";

const TABLE = "mcp_servers";

type Toml = Record<string, unknown>;

/** The MCP entry in a TOML file, under `mcp_servers`. */
export function serverInToml(file: string, server: Program): HostPart {
  const entry = { command: server.command, args: [...server.args] };
  return {
    kind: "mcp",
    file,
    entries: `MCP server "${ENTRY_NAME}"`,
    add(text = "") {
      const there = serversOf(read(file, text), file)[ENTRY_NAME];
      if (there === undefined) return withEntry(file, text, entry);
      if (!isOurServer(wordsOf(there))) throw otherServer(file);
      return isSame(wordsOf(there), wordsOf(entry))
        ? text
        : changed(file, text, (servers) => Object.assign(asTable(servers[ENTRY_NAME]), entry));
    },
    remove(text) {
      const servers = serversOf(read(file, text), file);
      if (!isOurServer(wordsOf(servers[ENTRY_NAME]))) return text;
      return withoutTable(file, text) ?? changed(file, text, (each) => delete each[ENTRY_NAME]);
    },
    isLeftOver: (text) => text.trim() === "",
    inspect(text) {
      const [command, ...args] = wordsOf(serversOf(read(file, text), file)[ENTRY_NAME]);
      return command === undefined ? NO_FINDINGS : { ...NO_FINDINGS, server: { command, args } };
    },
  };
}

/** Appends a table, as the host writes it. Uses another form only if that gives no valid text. */
function withEntry(file: string, text: string, entry: Toml): string {
  const [eol = "\n"] = /\r?\n/u.exec(text) ?? [];
  const gap = text === "" || text === "\uFEFF" ? "" : (text.endsWith("\n") ? "" : eol) + eol;
  const appended = text + gap + tableOf(entry, eol);
  const isAsWanted = isValid(appended) && isSame(wordsOf(serversOf(read(file, appended), file)[ENTRY_NAME]), wordsOf(entry));
  return isAsWanted ? appended : changed(file, text, (servers) => Object.assign(servers, { [ENTRY_NAME]: entry }));
}

function tableOf(entry: unknown, eol: string): string {
  const lines = Object.entries(asRecord(entry)).map(([name, value]) => `${name} = ${inToml(value)}`);
  return [`[${TABLE}.${ENTRY_NAME}]`, ...lines, ""].join(eol);
}

/** The text without the added table and the empty line before it; `undefined` when the table was changed. */
function withoutTable(file: string, text: string): string | undefined {
  const document = read(file, text);
  const servers = serversOf(document, file);
  const spellings = ["\n", "\r\n"].flatMap((eol) => ["", eol].map((gap) => gap + tableOf(servers[ENTRY_NAME], eol)));
  const written = spellings.toReversed().find((spelling) => text.includes(spelling));
  if (written === undefined) return undefined;
  const left = text.replace(written, () => "");
  return isValid(left) && isSame(read(file, left), withoutEntry(document, servers)) ? left : undefined;
}

function withoutEntry(document: Toml, servers: Toml): Toml {
  const { [ENTRY_NAME]: _ours, ...others } = servers;
  const { [TABLE]: _all, ...rest } = document;
  return Object.keys(others).length === 0 ? rest : { ...rest, [TABLE]: others };
}

/** A JSON string is also a basic string of TOML: TOML has all escapes of JSON. */
function inToml(value: unknown): string {
  return Array.isArray(value) ? `[${value.map(inToml).join(", ")}]` : JSON.stringify(value);
}

/** Changes only the table of servers, and checks that the rest stays equal. */
function changed(file: string, text: string, change: (servers: Toml) => void): string {
  // The library would make all line ends the same.
  if (/\r\n/u.test(text) && /(?<!\r)\n/u.test(text)) throw notAlone(file);
  const wanted = read(file, text);
  const servers = asTable((wanted[TABLE] ??= {}));
  change(servers);
  if (Object.keys(servers).length === 0) delete wanted[TABLE];
  const format = TomlFormat.autoDetectFormat(text);
  const result = patch(text, wanted, format);
  if (isSame(read(file, result), wanted)) return result;
  throw notAlone(file);
}

function notAlone(file: string): Error {
  return refusal(file, "the entry cannot be changed without other changes to the file", { hint: "Change it by hand." });
}

function read(file: string, text: string): Toml {
  try {
    return parse(text) as Toml;
  } catch (error) {
    throw refusal(file, `it is not valid TOML (${firstLine(error)})`, { hint: "Fix it by hand first.", cause: error });
  }
}

function isValid(text: string): boolean {
  try {
    parse(text);
    return true;
  } catch {
    // The caller tries another form, and checks it too.
    return false;
  }
}

function serversOf(document: Toml, file: string): Toml {
  const servers = document[TABLE];
  if (servers !== undefined && (typeof servers !== "object" || servers === null || Array.isArray(servers))) {
    throw refusal(file, `"${TABLE}" is not a table`, { hint: "Fix it by hand first." });
  }
  return asTable(servers ?? {});
}

function asTable(value: unknown): Toml {
  return value as Toml;
}

function wordsOf(entry: unknown): readonly string[] {
  const { command, args } = asRecord(entry);
  return [command, args].flat().filter((word) => typeof word === "string");
}

/** Compares values without prototypes, which parsed tables lack. */
function isSame(one: unknown, other: unknown): boolean {
  return isDeepStrictEqual(structuredClone(one), structuredClone(other));
}

function firstLine(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split("\n")[0] ?? "";
}

function otherServer(file: string): Error {
  return refusal(file, `"${TABLE}.${ENTRY_NAME}" exists and starts another program`, {
    hint: "Give that entry another name, or leave the MCP entry out with --no-mcp.",
  });
}
