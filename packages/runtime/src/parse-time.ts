import { WorkrailError } from "@workrail/core";

/** @throws INVALID_INPUT */
export function parseTime(text: string, field: string): Date {
  const time = new Date(text);
  if (!Number.isNaN(time.getTime())) return time;
  throw new WorkrailError("INVALID_INPUT", `${field} must be a time in ISO 8601, such as 2026-01-31T12:00:00Z.`, { details: { field } });
}
