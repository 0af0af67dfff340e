/** Label that is written once above its units: a speaker, a heading, or the key of an object. */
export interface Group {
  /** Empty for a group without a label, such as a member of an array. */
  readonly label: string;
  readonly parent: Group | undefined;
}

/** Smallest part that is kept or omitted: a line, a sentence, or a member of an object. */
export interface Unit {
  readonly text: string;
  readonly group: Group;
  /** Separator from the unit before. */
  readonly joint: "\n" | " " | ", ";
  /** Names of members that stand in the text next to their values. */
  readonly keys?: readonly string[];
}

/** Kind of speech: a person asks, an agent says or acts, a tool reports, the system rules. A request is needed longer than a report. */
export type Voice = "asks" | "says" | "acts" | "reports" | "rules" | "data";

/** Piece of the condensed value: a message, a member, or a paragraph. */
export interface Piece {
  readonly units: readonly Unit[];
  readonly voice: Voice;
}

/** Outline of a value. Pieces of the same part are rendered as one text. */
export interface Part {
  readonly root: Group;
  readonly pieces: readonly Piece[];
}
