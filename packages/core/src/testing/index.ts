export { aRecord, SteppingClock, SequentialIds } from "./builders.ts";
