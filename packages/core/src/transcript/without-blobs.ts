/** Bytes written as letters are of no use to a reader: what they are, and how many, stands in their place. */
export function withoutBlobs(text: string): string {
  return text.replaceAll(BLOB, (blob, type: string | undefined) => {
    if (type === undefined && !isBase64(blob)) return blob;
    return `[${type === undefined ? "" : `${type}, `}${blob.length} characters of base64]`;
  });
}

/** In a URL that says so, or else so long that it can be nothing else. */
const BLOB = /data:([\w/+.-]+)(?:;[\w=-]+)*;base64,[A-Za-z0-9+/_-]{64,}={0,2}|(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{1000,}={0,2}/gu;

/** Small and capital letters and digits, all mixed: neither words nor a ruler. */
function isBase64(text: string): boolean {
  return /[a-z]/u.test(text) && /[A-Z]/u.test(text) && /[0-9]/u.test(text);
}
