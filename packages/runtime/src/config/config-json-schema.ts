/** Returns the JSON Schema of `config.json`. */
export async function configJsonSchema(): Promise<Readonly<Record<string, unknown>>> {
  // Loaded on demand: zod is larger than all code that reads settings, and nothing else needs it.
  const [{ toJSONSchema }, { configSchema }] = await Promise.all([import("zod"), import("./config-schema.ts")]);
  return toJSONSchema(configSchema, { target: "draft-2020-12" });
}
