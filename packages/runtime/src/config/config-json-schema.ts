/** The JSON Schema of `config.json`. */
export async function configJsonSchema(): Promise<Readonly<Record<string, unknown>>> {
  // Larger than all that reads settings, and needed by nothing else.
  const [{ toJSONSchema }, { configSchema }] = await Promise.all([import("zod"), import("./config-schema.ts")]);
  return toJSONSchema(configSchema, { target: "draft-2020-12" });
}
