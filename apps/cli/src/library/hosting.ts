// Of the library what sets hosts up, loaded by that: an import of the library as a whole would load all of it.
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
