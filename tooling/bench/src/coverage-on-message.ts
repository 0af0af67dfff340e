import { Session } from "node:inspector/promises";
import process from "node:process";

// Preloaded into a process whose parent has a channel to it: each message is answered by the functions that ran since the last one.
const session = new Session();
session.connect();
await session.post("Profiler.enable");
await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
process.on("message", () => void answer());
// The channel alone must not keep the process alive.
process.channel?.unref();

async function answer(): Promise<void> {
  const { result } = await session.post("Profiler.takePreciseCoverage");
  const counted = result.map(({ url, functions }) => {
    const ran = functions.filter(({ ranges }) => (ranges[0]?.count ?? 0) > 0);
    return { url, functions: ran.map(({ functionName }) => (functionName === "" ? "(anonymous)" : functionName)) };
  });
  process.send?.(counted.filter(({ functions }) => functions.length > 0));
}
