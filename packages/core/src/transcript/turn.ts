/** What somebody said at a time. */
export interface Turn {
  /** Who, in words for a heading; absent in a text that does not say. */
  readonly speaker?: string | undefined;
  readonly isUser: boolean;
  readonly parts: readonly Part[];
}

/** A piece of what was said. Texts are never empty. */
export type Part =
  | { readonly kind: "text" | "thinking"; readonly text: string }
  /** A tool is called. */
  | { readonly kind: "call"; readonly tool: string; readonly text: string }
  /** What a tool gave back. */
  | { readonly kind: "result"; readonly tool: string | undefined; readonly failed: boolean; readonly text: string }
  /** An image, a recording, a file: what it is, not its bytes. */
  | { readonly kind: "attachment"; readonly text: string }
  /** Whatever else JSON can say. */
  | { readonly kind: "data"; readonly text: string };

/** What was said in words. */
export function textOf({ parts }: Turn): string {
  return parts.flatMap((part) => (part.kind === "text" ? [part.text] : [])).join("\n");
}

/** Who speaks, in words for a heading. */
export function speakerOf(role: string, name?: string): string {
  const known = SPEAKERS.get(role.toLowerCase());
  const speaker = known ?? (role.trim() === "" ? "Unknown" : role.charAt(0).toUpperCase() + role.slice(1));
  return name === undefined ? speaker : `${speaker} (${name})`;
}

/** Whether this is the person that an agent works for. */
export function isUser(role: string): boolean {
  return SPEAKERS.get(role.toLowerCase()) === "User";
}

/** Names that APIs and people give to the same speakers. */
export const SPEAKERS: ReadonlyMap<string, string> = new Map([
  ...["user", "human", "you", "me"].map((name) => [name, "User"] as const),
  ...["assistant", "ai", "model", "bot", "agent", "claude", "chatgpt", "gemini"].map((name) => [name, "Assistant"] as const),
  ...["system", "developer", "tool", "function"].map((name) => [name, name.charAt(0).toUpperCase() + name.slice(1)] as const),
]);
