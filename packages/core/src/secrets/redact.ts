import type { FindSecrets, SecretKind } from "../ports/secret-scanner.ts";

export interface Redacted {
  readonly text: string;
  /** Number of different secrets removed. */
  readonly secrets: number;
}

/** Replaces the secrets of a text by names such as `[API_KEY_1]`. The same secret gets the same name. */
export function redact(text: string, find: FindSecrets): Redacted {
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
