/** Child elements of an element that have a text and no children, by name. */
export type Elements = Readonly<Record<string, string | undefined>>;

/** Reads the entries of one name in an answer of S3, which has no attributes, comments or sections of text. */
export function entriesOf(answer: string, name: string): readonly Elements[] {
  return [...answer.matchAll(new RegExp(`<${name}>(.*?)</${name}>`, "gsu"))].map(([, content = ""]) => elementsOf(content));
}

/** Reads the elements that have a text and no children. The first of several with one name counts. */
export function elementsOf(content: string): Elements {
  const found = [...content.matchAll(/<(\w+)>([^<]*)<\/\1>/gu)].map(([, name = "", text = ""]) => [name, unescaped(text)] as const);
  return Object.fromEntries(found.toReversed());
}

const CHARACTERS: Readonly<Record<string, string>> = { "&lt;": "<", "&gt;": ">", "&quot;": '"', "&apos;": "'", "&amp;": "&" };

function unescaped(text: string): string {
  return text.replaceAll(
    /&(?:lt|gt|quot|apos|amp);|&#(?:x([0-9a-fA-F]{1,6})|(\d{1,7}));/gu,
    (reference, hex?: string, decimal?: string) => {
      const named = CHARACTERS[reference];
      return named ?? String.fromCodePoint(hex === undefined ? Number(decimal) : Number.parseInt(hex, 16));
    },
  );
}

/** Escapes a text for XML. */
export function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
