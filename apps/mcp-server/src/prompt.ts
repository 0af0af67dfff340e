import type { Complete, Variables } from "./resource.ts";

/** A prompt that a person chooses in the host, independent of any MCP library. */
export interface Prompt {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly arguments: readonly PromptArgument[];
  /** Returns the texts of the prompt. Rejects with a coded error for a failure that the reader should know. */
  write(given: Variables): Promise<readonly PromptPart[]>;
  /** Suggests values of an argument that begin with the typed text. Absent: none. */
  readonly complete?: Complete;
}

export interface PromptArgument {
  readonly name: string;
  readonly description: string;
  readonly required?: boolean;
}

/** A text in the user's name, or saved data with the URI of its resource. */
export type PromptPart = { readonly text: string } | { readonly uri: string; readonly mimeType: string; readonly text: string };

/** Describes one prompt for `prompts/list`. */
export function listPrompt({ name, title, description, arguments: list }: Prompt): object {
  return { name, title, description, arguments: list };
}

/** Returns a part as a message of the protocol. */
export function messageOf(part: PromptPart): object {
  const content = "uri" in part ? { type: "resource", resource: part } : { type: "text", text: part.text };
  return { role: "user", content };
}
