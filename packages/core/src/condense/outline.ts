/** What stands above units and is said once for them: who spoke, a heading, the key of an object. */
export interface Group {
  /** Empty for one that is not said, such as a member of an array. */
  readonly label: string;
  readonly parent: Group | undefined;
}

/** The least that is kept or left out: a line, a sentence, a member of an object. */
export interface Unit {
  readonly text: string;
  readonly group: Group;
  /** What parts it from the unit before it. */
  readonly joint: "\n" | " " | ", ";
  /** Names of members that stand in the text beside their values. */
  readonly keys?: readonly string[];
}

/** Who speaks matters: what a person asks for is needed longer than what a tool printed. */
export type Voice = "asks" | "says" | "acts" | "reports" | "rules" | "data";

/** A piece of what is condensed: a message, a member, a paragraph. */
export interface Piece {
  readonly units: readonly Unit[];
  readonly voice: Voice;
}

/** A value taken apart. Pieces of one part come back as one text. */
export interface Part {
  readonly root: Group;
  readonly pieces: readonly Piece[];
}
