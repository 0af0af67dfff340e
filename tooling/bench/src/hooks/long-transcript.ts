import { randomUUID } from "node:crypto";
import fs from "node:fs";
import { gunzipSync } from "node:zlib";

/** Sessions that real hosts wrote. Requests, snapshots and attachments are most of their bytes. */
const RECORDINGS: URL = new URL("../../../hosts/recordings/", import.meta.url);
const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gu;

export interface LongTranscriptInput {
  /** Least bytes of the lines. */
  readonly bytes: number;
  readonly sessionId: string;
  /** Directory in which the agent works. */
  readonly cwd: string;
}

/** Lines of a Claude Code transcript of one long session: the recorded sessions, one after the other and again, each time with other ids. */
export function longTranscript({ bytes, sessionId, cwd }: LongTranscriptInput): readonly string[] {
  const recorded = recordedSessions();
  const lines: string[] = [];
  let size = 0;
  let parent: string | undefined;
  for (let copy = 0; ; copy++) {
    const text = continued(recorded[copy % recorded.length] ?? "", { sessionId, cwd, parent, copy });
    parent = [...text.matchAll(/"uuid":"([^"]+)"/gu)].at(-1)?.[1];
    for (const line of text.trimEnd().split("\n")) {
      lines.push(line);
      size += Buffer.byteLength(line) + 1;
      if (size >= bytes) return lines;
    }
  }
}

interface Continuation {
  readonly sessionId: string;
  readonly cwd: string;
  /** The entry that the first one follows. */
  readonly parent: string | undefined;
  readonly copy: number;
}

/** A recorded session as a part of another one. */
function continued(text: string, { sessionId, cwd, parent, copy }: Continuation): string {
  const own = /"sessionId":"([^"]+)"/u.exec(text)?.[1] ?? "";
  const recordedCwd = /"cwd":"([^"]+)"/u.exec(text)?.[1] ?? "";
  const ids = new Map([[own, sessionId]]);
  const renamed = text
    .replaceAll(recordedCwd, JSON.stringify(cwd).slice(1, -1))
    .replaceAll(/\btoolu_\w+/gu, (id) => `${id}${copy}`)
    .replaceAll(UUID, (id) => {
      const known = ids.get(id) ?? randomUUID();
      ids.set(id, known);
      return known;
    });
  return parent === undefined ? renamed : renamed.replace('"parentUuid":null', `"parentUuid":"${parent}"`);
}

function recordedSessions(): readonly string[] {
  return fs
    .readdirSync(RECORDINGS)
    .filter((name) => /\.claude-code\.jsonl(?:\.gz)?$/u.test(name))
    .toSorted()
    .map((name) => {
      const bytes = fs.readFileSync(new URL(name, RECORDINGS));
      return (name.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString("utf8");
    });
}
