/** The oldest Node that has all that this product uses. */
const OLDEST = 22;

const { process } = globalThis as { readonly process?: { readonly versions?: Readonly<Record<string, string>> } };
const { node, bun, deno } = process?.versions ?? {};

// Loaded first: an older Node fails elsewhere, in words that do not say why. Bun and Deno name a Node whose version is not theirs.
if (node !== undefined && bun === undefined && deno === undefined && Number.parseInt(node, 10) < OLDEST) {
  throw new Error(`Workrail needs Node ${OLDEST} or newer; this is Node ${node}.`);
}

export {};
