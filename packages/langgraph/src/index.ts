export { migrateThreads, type MigrateThreadsOptions, type ThreadMigration } from "./migrate-threads.ts";
export { type SaverStore, WorkrailSaver, type WorkrailSaverOptions } from "./workrail-saver.ts";
export { type ItemStore, WorkrailStore, type WorkrailStoreOptions } from "./workrail-store.ts";
