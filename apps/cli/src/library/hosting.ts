// Re-exports the part of the library that sets hosts up. An import of the whole library would load all of it.
export {
  applyRemoval,
  applySetup,
  currentSurroundings,
  findHosts,
  hookProgram,
  inspectHosts,
  isTemporary,
  localServer,
  planRemoval,
  planSetup,
  serverByNpx,
  SetupRecords,
  titleOf,
} from "@workrail/host-setup";
export { readConfiguration } from "@workrail/runtime";
