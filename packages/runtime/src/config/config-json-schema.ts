/** Returns the JSON Schema of `config.json`. */
export async function configJsonSchema(): Promise<Readonly<Record<string, unknown>>> {
  // Loaded on demand: zod is larger than all code that reads settings, and nothing else needs it. Built by our own module: an import of zod by
  // name would keep all of it in the bundles, with its messages in fifty languages.
  return (await import("./config-schema.ts")).configJsonSchemaNow();
}
