import type { JsonValue } from "../../model/context.ts";
import type { Layer } from "../../model/layer.ts";

/** Entries by their expected layer. */
export type BlindSet = { readonly [L in Layer]: readonly (readonly [key: string, value: JsonValue])[] };
