import type { Icon } from "./catalogue.ts";

/** A bookmark. */
const SVG = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><path fill="#2a7" d="M3 1h10v14l-5-4-5 4z"/></svg>`;

/** The icon of the server, in itself. */
export const ICONS: readonly Icon[] = [
  { src: `data:image/svg+xml;base64,${Buffer.from(SVG).toString("base64")}`, mimeType: "image/svg+xml", sizes: ["any"] },
];
