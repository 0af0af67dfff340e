import { untilInterrupted } from "../until-interrupted.ts";

// A command that is asked to end and does not.
const alive = setInterval(() => {}, 1_000);
process.stdout.write("begun\n");
await untilInterrupted(() => new Promise<never>(() => {}));
clearInterval(alive);
