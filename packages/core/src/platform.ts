/**
 * The few web globals that core needs, declared here so that neither the DOM nor the Node types
 * are visible to the rest of it. Every JavaScript runtime has them.
 */
declare const TextEncoder: new () => {
  encode(text: string): Uint8Array;
  encodeInto(text: string, into: Uint8Array): { readonly written: number };
};
declare const structuredClone: <T>(value: T) => T;
declare const TextDecoder: new (label: "utf-8", options: { fatal: boolean; ignoreBOM: boolean }) => { decode(bytes: Uint8Array): string };

declare const performance: { now(): number };
declare const setTimeout: (work: () => void, afterMs: number) => unknown;

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** UTF-8 bytes of a text. */
export function encodeUtf8(text: string): Uint8Array {
  return encoder.encode(text);
}

/** Writes the UTF-8 bytes of a text, for which there must be room, and returns how many they are. */
export function encodeUtf8Into(text: string, into: Uint8Array): number {
  return encoder.encodeInto(text, into).written;
}

/** The text of UTF-8 bytes; throws a `TypeError` when they are not UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}

/** A copy that nothing is shared with. */
export function copied<T>(value: T): T {
  return structuredClone(value);
}

/** Milliseconds since some moment: for how long something takes, never for what time it is. */
export function elapsedMs(): number {
  return performance.now();
}

/** Resolves once other work had its turn. */
export function othersTurn(): Promise<void> {
  return after(0);
}

/** Resolves after so long. */
export async function after(ms: number): Promise<void> {
  await new Promise<void>((resolve) => {
    setTimeout(resolve, ms);
  });
}
