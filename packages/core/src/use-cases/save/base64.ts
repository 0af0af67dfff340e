/** Web globals that every JavaScript runtime has. */
declare const btoa: (latin1: string) => string;
declare const atob: (base64: string) => string;

/** Bytes turned into one text at a time: arguments of a call are limited. */
const PIECE = 8_192;

export function toBase64(bytes: Uint8Array): string {
  let latin1 = "";
  for (let from = 0; from < bytes.length; from += PIECE) latin1 += String.fromCharCode(...bytes.subarray(from, from + PIECE));
  return btoa(latin1);
}

/** @throws a `DOMException` for a text that is no base64. */
export function fromBase64(text: string): Uint8Array {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}
