/** The verdict from a line's first bytes. */
export type ClaudeLook =
  /** The line is not needed. */
  | "noise"
  /** The line must be parsed. */
  | "parse"
  /** An entry that is part of the chain, but has no event. */
  | { readonly id: string; readonly parent: string | null };

const HEAD_BYTES = 400;
const UNLINKED_WANTED = new Set(["user", "assistant", "system", "attachment", "progress", "ai-title", "custom-title", "summary"]);
const FIRST_TYPE = /^\{"type":"([^"\\]*)"/u;
const LINK = /^\{"parentUuid":(null|"[^"\\]{1,80}"),(?:"logicalParentUuid":(?:null|"[^"\\]{1,80}"),)?"isSidechain":(true|false),/u;
const ATTACHMENT = /"isSidechain":false,"attachment":\{"type":"([^"\\]*)"/u;
const ATTACHMENT_ID = Buffer.from('"type":"attachment","uuid":"');
const QUOTE = 0x22;

/**
 * Tells by a few bytes whether a line of a Claude Code transcript must be parsed.
 *
 * Most bytes of a transcript are requests, snapshots and attachments. In doubt the answer is `"parse"`. A quotation mark in a
 * text is escaped, so `"type":"` without a backslash is a member.
 */
export function lookAtClaudeLine(line: Buffer, isSubagent: boolean): ClaudeLook {
  const head = line.toString("latin1", 0, HEAD_BYTES);
  const type = FIRST_TYPE.exec(head)?.[1];
  if (type !== undefined) return UNLINKED_WANTED.has(type) ? "parse" : "noise";
  const link = LINK.exec(head);
  if (link === null) return "parse";
  if (link[2] === "true" && !isSubagent) return "noise";
  const attachment = ATTACHMENT.exec(head)?.[1];
  if (attachment === undefined || attachment === "queued_command") return "parse";
  const id = attachmentId(line);
  return id === undefined ? "parse" : { id, parent: link[1] === "null" ? null : (link[1]?.slice(1, -1) ?? null) };
}

/** The id, if the mark before it occurs once. */
function attachmentId(line: Buffer): string | undefined {
  const mark = line.indexOf(ATTACHMENT_ID);
  if (mark === -1) return undefined;
  const start = mark + ATTACHMENT_ID.length;
  if (line.indexOf(ATTACHMENT_ID, start) !== -1) return undefined;
  const end = line.indexOf(QUOTE, start);
  return end === -1 || end - start > 80 ? undefined : line.toString("latin1", start, end);
}
