import type { JsonValue } from "../../model/context.ts";
import type { Layer } from "../../model/layer.ts";

/** Entries by the layer that they belong to. */
export type BlindSet = { readonly [L in Layer]: readonly (readonly [key: string, value: JsonValue])[] };
