import { QUOTE } from "./secret-rule.ts";

/** Pattern between a name and its value in code, JSON (also nested), YAML, `.env` files and URLs. */
export const IS: string = String.raw`(?:${QUOTE})?\]?[ \t]{0,4}(?:=>|:=|[:=])(?!=)[ \t]{0,4}`;

/** Pattern of a value. In quotes it may contain most characters; without quotes it ends where most languages end a word. */
export function value(least: number): string {
  return (
    String.raw`(?:${QUOTE}(?<quoted>[^\s"'\\\`<>]{${least},512})(?=${QUOTE})` +
    String.raw`|(?:${QUOTE})?(?<secret>[^\s"'\\\`,;<>(){}[\]&]{${least},512}))`
  );
}
