/** Blocks that hosts and this product add to the text of others: never a person's own words, never a tool's own output. */
const ADDED_BLOCKS = ["workrail-resume", "system-reminder", "hook_context", "user-prompt-submit-hook"] as const;

const BLOCK = new RegExp(`<(${ADDED_BLOCKS.join("|")})(?:\\s[^>]*)?>[\\s\\S]*?</\\1\\s*>\\n?`, "gu");
/** A block that was cut off: hosts shorten long output. */
const OPEN_BLOCK = new RegExp(`<(?:${ADDED_BLOCKS.join("|")})(?:\\s[^>]*)?>[\\s\\S]*$`, "u");

/**
 * The text without the blocks that a host or this product added to it.
 *
 * A block that has no end reaches to the end of the text.
 */
export function stripHostText(text: string): string {
  if (!ADDED_BLOCKS.some((name) => text.includes(`<${name}`))) return text;
  return text.replace(BLOCK, "").replace(OPEN_BLOCK, "").trim();
}
