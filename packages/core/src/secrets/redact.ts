import { findSecrets } from "./find-secrets.ts";
import type { SecretKind } from "../ports/secret-scanner.ts";

export interface Redacted {
  readonly text: string;
  /** How many different secrets were taken out. */
  readonly secrets: number;
}

/** A text without its secrets: `[API_KEY_1]` stands for each. The same secret has the same name. */
export function redact(text: string): Redacted {
  const names = new Map<string, string>();
  const counts = new Map<SecretKind, number>();
  const pieces: string[] = [];
  let end = 0;
  for (const found of findSecrets(text)) {
    const secret = text.slice(found.start, found.end);
    let name = names.get(secret);
    if (name === undefined) {
      const number = (counts.get(found.kind) ?? 0) + 1;
      counts.set(found.kind, number);
      names.set(secret, (name = `[${found.kind}_${number}]`));
    }
    pieces.push(text.slice(end, found.start), name);
    end = found.end;
  }
  return { text: [...pieces, text.slice(end)].join(""), secrets: names.size };
}
