export { type SaverStore, WorkrailSaver } from "./workrail-saver.ts";
