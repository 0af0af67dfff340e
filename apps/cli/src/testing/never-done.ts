import { untilInterrupted } from "../until-interrupted.ts";

// A command that ignores the request to end.
const alive = setInterval(() => {}, 1_000);
process.stdout.write("begun\n");
await untilInterrupted(() => new Promise<never>(() => {}));
clearInterval(alive);
