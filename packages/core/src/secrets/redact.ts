import { findSecrets } from "./find-secrets.ts";
import type { FoundSecret, SecretKind } from "../ports/secret-scanner.ts";

export interface Redacted {
  readonly text: string;
  /** How many different secrets were taken out. */
  readonly secrets: number;
}

/** Finds what is to be taken out of a text. */
export type FindSecrets = (text: string) => readonly FoundSecret[];

/** A text without its secrets: `[API_KEY_1]` stands for each. The same secret has the same name. */
export function redact(text: string, find: FindSecrets = findSecrets): Redacted {
  const names = new Map<string, string>();
  const counts = new Map<SecretKind, number>();
  const nameOf = (kind: SecretKind, secret: string): string => {
    const known = names.get(secret);
    if (known !== undefined) return known;
    const number = (counts.get(kind) ?? 0) + 1;
    counts.set(kind, number);
    names.set(secret, `[${kind}_${number}]`);
    return `[${kind}_${number}]`;
  };
  const pieces: string[] = [];
  let [end, name] = [0, ""];
  for (const found of find(text)) {
    if (found.continues !== true) name = nameOf(found.kind, text.slice(found.start, found.end));
    pieces.push(text.slice(end, found.start), name);
    end = found.end;
  }
  return { text: [...pieces, text.slice(end)].join(""), secrets: names.size };
}
