// Preloaded into a process: shifts its clock by the milliseconds in a file, and shortens a timer of a day to a quarter of a second.
import { readFileSync } from "node:fs";

const file = process.env["WRONG_CLOCK_FILE"] ?? "";
const RealDate = Date;
const realSetTimeout = setTimeout;
const LONG_MS = 10_000;
const SPEED = 345_600;

function wrongNow(): number {
  return RealDate.now() + Number(readFileSync(file, "utf8"));
}

globalThis.Date = class extends RealDate {
  constructor(...given: unknown[]) {
    super(...((given.length === 0 ? [wrongNow()] : given) as [number]));
  }

  static override now(): number {
    return wrongNow();
  }
} as DateConstructor;

globalThis.setTimeout = ((work: () => void, ms = 0, ...given: []) =>
  realSetTimeout(work, ms >= LONG_MS ? ms / SPEED : ms, ...given)) as unknown as typeof setTimeout;
