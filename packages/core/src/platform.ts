/**
 * The few web globals that core needs, declared here so that neither the DOM nor the Node types are visible to the rest of core.
 * Every JavaScript runtime has them.
 */
declare const TextEncoder: new () => {
  encode(text: string): Uint8Array;
  encodeInto(text: string, into: Uint8Array): { readonly written: number };
};
declare const TextDecoder: new (label: "utf-8", options: { fatal: boolean; ignoreBOM: boolean }) => { decode(bytes: Uint8Array): string };

declare const performance: { now(): number };
declare const setTimeout: (work: () => void, afterMs: number) => unknown;

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Encodes a text as UTF-8. */
export function encodeUtf8(text: string): Uint8Array {
  return encoder.encode(text);
}

/** Writes the UTF-8 bytes of a text into a buffer with enough room, and returns their number. */
export function encodeUtf8Into(text: string, into: Uint8Array): number {
  return encoder.encodeInto(text, into).written;
}

/** Decodes UTF-8; throws a `TypeError` when the bytes are not UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}

/** Monotonic milliseconds, for measuring durations only. */
export function elapsedMs(): number {
  return performance.now();
}

/** Yields to other work. */
export function othersTurn(): Promise<void> {
  return after(0);
}

/** Resolves after a delay. */
export async function after(ms: number): Promise<void> {
  await new Promise<void>((resolve) => {
    setTimeout(resolve, ms);
  });
}
