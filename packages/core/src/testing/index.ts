export { aRecord, SteppingClock, SequentialIds, tokensCounted } from "./builders.ts";
