/** Returns the largest metadata that a save accepts, from a text that is cheap or expensive in characters, in tokens, or in both. */
export function largestMetadata(filler: string): { name: string; tags: string[]; other: string } {
  const filled = (length: number): string => filler.repeat(Math.floor(length / filler.length));
  const escaped = JSON.stringify(filler).length - 2;
  return {
    name: filled(500),
    tags: Array.from({ length: 100 }, (_, index) => `${index} ${filled(196)}`),
    other: filler.repeat(Math.floor(16_300 / escaped)),
  };
}

export const FILLERS: readonly string[] = ["plain text ", "\u{1246b}", "\u0001", "\u{1f3ff}\u200d"];
