import type { JsonValue } from "@workrail/core";
import type { Layer } from "@workrail/core";

/** Entries by their expected layer. */
export type BlindSet = { readonly [L in Layer]: readonly (readonly [key: string, value: JsonValue])[] };
