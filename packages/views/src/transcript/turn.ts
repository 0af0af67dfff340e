/** Turn of one speaker. */
export interface Turn {
  /** Speaker in words for a heading; absent when unknown. */
  readonly speaker?: string | undefined;
  readonly isUser: boolean;
  readonly parts: readonly Part[];
}

/** Part of a turn. Texts are never empty. */
export type Part =
  | { readonly kind: "text" | "thinking"; readonly text: string }
  /** Call of a tool. */
  | { readonly kind: "call"; readonly tool: string; readonly text: string }
  /** Result of a tool. */
  | { readonly kind: "result"; readonly tool: string | undefined; readonly failed: boolean; readonly text: string }
  /** Description of an image, a recording or a file, without its bytes. */
  | { readonly kind: "attachment"; readonly text: string }
  /** Any other JSON. */
  | { readonly kind: "data"; readonly text: string };

/** Returns the spoken text of a turn. */
export function textOf({ parts }: Turn): string {
  return parts.flatMap((part) => (part.kind === "text" ? [part.text] : [])).join("\n");
}

/** Returns the speaker in words for a heading. */
export function speakerOf(role: string, name?: string): string {
  const known = SPEAKERS.get(role.toLowerCase());
  const speaker = known ?? (role.trim() === "" ? "Unknown" : role.charAt(0).toUpperCase() + role.slice(1));
  return name === undefined ? speaker : `${speaker} (${name})`;
}

/** True for the person that an agent works for. */
export function isUser(role: string): boolean {
  return SPEAKERS.get(role.toLowerCase()) === "User";
}

/** Names of speakers, by the names that APIs and people use. */
export const SPEAKERS: ReadonlyMap<string, string> = new Map([
  ...["user", "human", "you", "me"].map((name) => [name, "User"] as const),
  ...["assistant", "ai", "model", "bot", "agent", "claude", "chatgpt", "gemini"].map((name) => [name, "Assistant"] as const),
  ...["system", "developer", "tool", "function"].map((name) => [name, name.charAt(0).toUpperCase() + name.slice(1)] as const),
]);
