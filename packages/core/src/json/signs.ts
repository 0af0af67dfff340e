/** Characters of JSON syntax. Their UTF-8 bytes equal their UTF-16 codes. */
export const LINE_FEED: number = 0x0a;
export const SPACE: number = 0x20;
export const QUOTE: number = 0x22;
export const COMMA: number = 0x2c;
export const COLON: number = 0x3a;
export const BRACKET: number = 0x5b;
export const BACKSLASH: number = 0x5c;
export const END_BRACKET: number = 0x5d;
export const BRACE: number = 0x7b;
export const END_BRACE: number = 0x7d;
