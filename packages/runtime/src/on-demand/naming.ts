// Names of sessions, loaded on demand.
export { goalOf } from "@workrail/views/handoff-part";
