import { QUOTE } from "./secret-rule.ts";

/** Joins a name to its value in code, JSON (within JSON too), YAML, `.env` files and URLs. */
export const IS: string = String.raw`(?:${QUOTE})?\]?[ \t]{0,4}(?:=>|:=|[:=])(?!=)[ \t]{0,4}`;

/** In quotes a value may have all sorts of signs; without them it ends where most languages end a word. */
export function value(least: number): string {
  return (
    String.raw`(?:${QUOTE}(?<quoted>[^\s"'\\\`<>]{${least},512})(?=${QUOTE})` +
    String.raw`|(?:${QUOTE})?(?<secret>[^\s"'\\\`,;<>(){}[\]&]{${least},512}))`
  );
}
