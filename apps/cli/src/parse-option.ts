import { isJsonObject, type JsonObject, type Layer, LAYERS, parseJson } from "@workrail/core";
import { InvalidArgumentError } from "commander";

/** Refuses an empty path, which would mean the working directory and usually comes from an unset variable. */
export function parsePath(text: string): string {
  if (text === "") throw new InvalidArgumentError("It must not be empty.");
  return text;
}

export function parseWhole(text: string): number {
  if (!/^\d{1,15}$/u.test(text)) throw new InvalidArgumentError("It must be a whole number.");
  return Number(text);
}

const UNITS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** Parses a duration such as `30m`, `12h`, `7d` or `2w` into milliseconds. */
export function parseDuration(text: string): number {
  const [, count, unit] = /^(\d{1,6})([mhdw])$/u.exec(text) ?? [];
  const length = unit === undefined ? undefined : UNITS[unit];
  if (length === undefined) throw new InvalidArgumentError("It must be a number followed by m, h, d or w, such as 7d.");
  return Number(count) * length;
}

const DAY_OR_TIME = /^(\d{4}-\d\d-\d\d)(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[-+]\d\d:?\d\d)?)?$/u;

/** Parses a duration before now, or a day or time in ISO 8601. */
export function parseSince(text: string): Date {
  const [, day] = DAY_OR_TIME.exec(text) ?? [];
  if (day === undefined) return new Date(Date.now() - parseDuration(text));
  const time = new Date(text);
  // JavaScript reads February 30 as March 2.
  const isDay = !Number.isNaN(time.getTime()) && new Date(day).toISOString().slice(0, 10) === day;
  if (!isDay) throw new InvalidArgumentError("It must be an existing day, such as 2026-01-31.");
  return time;
}

export function parseObject(text: string): JsonObject {
  let value: unknown;
  try {
    value = parseJson(text);
  } catch {
    // Falls through to the refusal below.
  }
  if (!isJsonObject(value)) throw new InvalidArgumentError("It must be a JSON object.");
  return value;
}

/** Collects the values of an option that may be repeated. */
export function collect(text: string, earlier: readonly string[] = []): readonly string[] {
  return [...earlier, text];
}

/** Parses a layer, ignoring case, and collects the values of a repeated option. */
export function parseLayer(text: string, earlier: readonly Layer[] = []): readonly Layer[] {
  const layer = LAYERS.find((each) => each === text.toUpperCase());
  if (layer === undefined) throw new InvalidArgumentError(`It must be one of ${LAYERS.join(", ")}.`);
  return [...earlier, layer];
}
