import { PASSWORD } from "./prepared-store.ts";

/** JSON fields whose numbers depend on the compression of ids and times, on the machine, or on durations. */
const INEXACT = /(?<="(?:\w*[bB]ytes\w*|share|ratio)": )\d+(?:\.\d+)?/gu;

/**
 * Replaces values that differ between runs or machines by fixed ones, of the same width where a table depends on the width.
 *
 * @param folder folder of the store and the project.
 */
export function normalize(text: string, folder: string): string {
  return (
    text
      .replaceAll(JSON.stringify(folder).slice(1, -1), "<folder>")
      .replaceAll(folder, "<folder>")
      .replaceAll(/<folder>[^\s"]*/gu, (path) => path.replaceAll(/\\+/gu, "/"))
      .replaceAll(/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gu, "00000000-0000-4000-8000-000000000000")
      .replaceAll(/\b[0-9a-f]{32}\b/gu, "0".repeat(32))
      // Checksums of times, ids and other values.
      .replaceAll(/(?<="check": ")[0-9a-f]{16}(?=")/gu, "0".repeat(16))
      .replaceAll(/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/gu, "2026-01-31T12:00:00.000Z")
      .replaceAll(/\b20\d\d-\d\d-\d\d(?!T)/gu, "2026-01-31")
      .replaceAll(PASSWORD, "<password>")
      .replaceAll(INEXACT, "9")
      .replaceAll(/(?<=contextSizeBytes(?:␛\[22m)? +)\d+/gu, "999")
      .replaceAll(/\b\d+(?:\.\d+)?(?= (?:[KMG]i)?B\b)/gu, (size) => "9".repeat(size.length))
      .replaceAll(/\(\d+(?:\.\d+)?(?:%|x)\)/gu, (share) => share.replaceAll(/\d+/gu, "9"))
      .replaceAll(/\b\d+\.\dx(?= )/gu, "9.9x")
      .replaceAll(/ +\d{1,2}[sm](?=[ ,.\n])/gu, (age) => "0s".padStart(Math.max(5, age.length)))
      // Tokens of a document that contains the project's path.
      .replaceAll(/\b\d+(?= tokens; entries)|(?<="tokens": )\d+(?=,\s+"shortened")/gu, "999")
      // Scores, which change with better ranking.
      .replaceAll(/\bscore \d\.\d\d/gu, "score 0.99")
      .replaceAll(/(?<="(?:score|distance)": )\d(?:\.\d+)?/gu, "0.9")
      .replaceAll(/\b\d+ ms\b/gu, "9 ms")
      .replaceAll(/\bNode \d+\.\d+\.\d+/gu, "Node 99.9.9")
      .replaceAll(/\b[\d,]+ MiB are free/gu, "99,999 MiB are free")
      .replaceAll(/\b(?:[0-9A-Z]{7}-){7}[0-9A-Z]{7}\b/gu, (key) => key.replaceAll(/\w/gu, "X"))
  );
}

/** Makes terminal output readable: names its control codes, and keeps only the last state of each redrawn line. */
export function readable(output: string): string {
  return output
    .replaceAll("\r\n", "\n")
    .replaceAll("\r", "␍")
    .replaceAll("\u001b", "␛")
    .replaceAll(/(?:␍[^␍\n]*␛\[K)+(?=␍[^␍\n]*␛\[K␍␛\[K)/gu, "");
}
