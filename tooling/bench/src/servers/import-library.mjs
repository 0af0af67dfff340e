// Prints the milliseconds of: importing better-sqlite3 and opening a database in memory, or importing the library as installed, and opening
// a store with it. Usage: node import-library.mjs sqlite | library DIRECTORY
const [what, dataDir] = process.argv.slice(2);
const startedAt = performance.now();
let importedAt;
if (what === "sqlite") {
  const { default: Database } = await import("better-sqlite3");
  importedAt = performance.now();
  new Database(":memory:").close();
} else {
  const { openWorkrail } = await import("@workrail/runtime");
  importedAt = performance.now();
  const store = await openWorkrail({ dataDir, env: {}, upkeep: false });
  await store.close();
}
// better-sqlite3 loads its native code when it first opens a database.
const importMs = (what === "sqlite" ? performance.now() : importedAt) - startedAt;
console.log(JSON.stringify({ importMs, openMs: performance.now() - startedAt }));
