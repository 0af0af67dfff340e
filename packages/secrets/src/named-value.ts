import { BLANK, LINE_BREAK, QUOTE } from "./secret-rule.ts";

/** Pattern between a name and a member called value, as in `- name: DB_PASSWORD` and `value: ...` of Kubernetes. */
const VALUE_OF = String.raw`${LINE_BREAK}${BLANK}{0,40}(?:${QUOTE})?(?:Parameter)?[Vv]alue(?:${QUOTE})?[ \t]{0,4}[:=][ \t]{0,4}`;
/** End of the start tag of an XML element that contains only a value. */
const TAG_END = String.raw`>(?=[^\s<>]{1,512}<\\{0,7}\/)`;

/** Pattern between a name and its value in code, JSON (also nested), YAML, XML, `.env` files and URLs. */
export const IS: string = String.raw`(?:(?:${QUOTE})?\]?[ \t]{0,4}(?:=>|:=|[:=])(?!=)[ \t]{0,4}|${VALUE_OF}|${TAG_END})`;

/** Pattern of a value. In quotes it may contain most characters; without quotes it ends where most languages end a word. */
export function value(least: number): string {
  return (
    String.raw`(?:${QUOTE}(?<quoted>[^\s"'\\\`<>]{${least},512})(?=${QUOTE})` +
    String.raw`|(?:${QUOTE})?(?<secret>[^\s"'\\\`,;<>(){}[\]&]{${least},512}))`
  );
}
