/** What is written for a host: its entry for the MCP server, or its hooks. */
export type PartKind = "mcp" | "hooks";

/** A program with its arguments, started without a shell. */
export interface Program {
  readonly command: string;
  readonly args: readonly string[];
}

/** What stands in a host's file. */
export interface PartFindings {
  /** The program that the MCP entry starts. */
  readonly server?: Program | undefined;
  /** Events that call our hook, as the host names them. */
  readonly events: readonly string[];
  /** The hook commands, each once. */
  readonly commands: readonly string[];
}

/** Entries of ours in one file of a host. Texts are whole files; `undefined` means that there is no file. */
export interface HostPart {
  readonly kind: PartKind;
  /** Absolute path. */
  readonly file: string;
  /** Names the entries for a person. */
  readonly entries: string;
  /**
   * Adds the entries, or brings them up to date. Returns an equal text when they are there.
   *
   * @throws INVALID_INPUT when the text is not what the host reads, or something else stands in the place of an entry.
   */
  add(text: string | undefined): string;
  /**
   * Takes the entries out, and what held nothing else and is not in the text that was there before them.
   *
   * @returns `undefined` when the whole file is ours.
   * @throws INVALID_INPUT when the text is not what the host reads.
   */
  remove(text: string, before: string | undefined): string | undefined;
  /** Whether a text from which the entries are gone holds nothing that anybody else wrote. */
  isLeftOver(text: string): boolean;
  /** @throws INVALID_INPUT when the text is not what the host reads. */
  inspect(text: string): PartFindings;
}

export const NO_FINDINGS: PartFindings = { events: [], commands: [] };
