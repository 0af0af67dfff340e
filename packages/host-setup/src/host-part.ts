/** A kind of entries: the MCP server, or hooks. */
export type PartKind = "mcp" | "hooks";

/** A program with its arguments, started without a shell. */
export interface Program {
  readonly command: string;
  readonly args: readonly string[];
}

/** The entries that were found in a host's file. */
export interface PartFindings {
  /** The program that the MCP entry starts. */
  readonly server?: Program | undefined;
  /** Events that call our hook, as the host names them. */
  readonly events: readonly string[];
  /** The hook commands, each once. */
  readonly commands: readonly string[];
}

/** Our entries in one file of a host. Texts are whole files; `undefined` means that there is no file. */
export interface HostPart {
  readonly kind: PartKind;
  /** Absolute path. */
  readonly file: string;
  /** Names the entries for a person. */
  readonly entries: string;
  /**
   * Adds or updates the entries. Returns an equal text when they are up to date.
   *
   * @throws INVALID_INPUT when the host could not read the text, or another value has the place of an entry.
   */
  add(text: string | undefined): string;
  /**
   * Removes the entries, and the containers that held only them and are not in the original text.
   *
   * @returns `undefined` when only our entries were in the file.
   * @throws INVALID_INPUT when the host could not read the text.
   */
  remove(text: string, before: string | undefined): string | undefined;
  /** Tells whether a text without our entries has no content of others. */
  isLeftOver(text: string): boolean;
  /** @throws INVALID_INPUT when the host could not read the text. */
  inspect(text: string): PartFindings;
}

export const NO_FINDINGS: PartFindings = { events: [], commands: [] };
