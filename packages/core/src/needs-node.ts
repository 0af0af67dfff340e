/** Oldest Node version that supports everything this product uses. */
const OLDEST = 22;

const { process } = globalThis as { readonly process?: { readonly versions?: Readonly<Record<string, string>> } };
const { node, bun, deno } = process?.versions ?? {};

// Loaded first, because an older Node fails elsewhere with unclear messages. Bun and Deno report the Node version that they imitate.
if (node !== undefined && bun === undefined && deno === undefined && Number.parseInt(node, 10) < OLDEST) {
  throw new Error(`Workrail needs Node ${OLDEST} or newer; this is Node ${node}.`);
}

export {};
