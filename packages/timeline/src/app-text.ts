/** Returns the page for the host of an agent: one HTML document. Bundles read the file beside them instead of building it. */
export async function readApp(): Promise<string> {
  const { buildApp } = await import("./build/build-page.ts");
  return buildApp();
}
