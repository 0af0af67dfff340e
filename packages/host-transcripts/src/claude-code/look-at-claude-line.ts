/** What a line's first bytes tell. */
export type ClaudeLook =
  /** Nothing of it is needed. */
  | "noise"
  /** It has to be parsed. */
  | "parse"
  /** An entry that is part of the chain and says nothing. */
  | { readonly id: string; readonly parent: string | null };

const HEAD_BYTES = 400;
const UNLINKED_WANTED = new Set(["user", "assistant", "system", "attachment", "progress", "ai-title", "custom-title", "summary"]);
const FIRST_TYPE = /^\{"type":"([^"\\]*)"/u;
const LINK = /^\{"parentUuid":(null|"[^"\\]{1,80}"),(?:"logicalParentUuid":(?:null|"[^"\\]{1,80}"),)?"isSidechain":(true|false),/u;
const ATTACHMENT = /"isSidechain":false,"attachment":\{"type":"([^"\\]*)"/u;
const ATTACHMENT_ID = Buffer.from('"type":"attachment","uuid":"');
const QUOTE = 0x22;

/**
 * Tells by a few bytes whether a line of a Claude Code transcript has to be parsed.
 *
 * Most of a transcript's bytes are requests, snapshots and attachments. On any doubt the answer is `"parse"`. A quotation mark inside of
 * text is escaped, so `"type":"` without a backslash is a member and no text.
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

/** The id, where the mark in front of it occurs once. */
function attachmentId(line: Buffer): string | undefined {
  const mark = line.indexOf(ATTACHMENT_ID);
  if (mark === -1) return undefined;
  const start = mark + ATTACHMENT_ID.length;
  if (line.indexOf(ATTACHMENT_ID, start) !== -1) return undefined;
  const end = line.indexOf(QUOTE, start);
  return end === -1 || end - start > 80 ? undefined : line.toString("latin1", start, end);
}
