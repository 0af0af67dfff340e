/** Returns the page: one HTML document with its scripts and styles. Bundles read the file beside them instead of building it. */
export async function readPage(): Promise<string> {
  const { buildPage } = await import("./build/build-page.ts");
  return buildPage();
}
