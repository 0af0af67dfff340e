import { createHash } from "node:crypto";

const META = /<meta http-equiv="Content-Security-Policy" content="([^"]*)" \/>/u;

/** Returns the headers of every answer. The page names its own content security policy, so that header and page agree. */
export function pageHeaders(page: string): Readonly<Record<string, string>> {
  const [, policy] = META.exec(page) ?? [];
  if (policy === undefined) throw new Error("The page has no content security policy.");
  return {
    "Content-Security-Policy": `${policy}; frame-ancestors 'none'`,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
  };
}

/** The script of the page, apart from its document. */
export interface PageParts {
  readonly document: string;
  readonly script: string;
}

const SCRIPT = /<script type="module"[^>]*>([\s\S]*?)<\/script>/u;

/**
 * Takes the script out of the page, so that the browser paints the document while it reads the script. The document names the script's
 * digest, which the content security policy allows already.
 *
 * @param path path at which the script is served.
 */
export function splitPage(page: string, path: string): PageParts {
  const [element, script] = SCRIPT.exec(page) ?? [];
  if (element === undefined || script === undefined) throw new Error("The page has no script.");
  const digest = createHash("sha256").update(script).digest("base64");
  const link = `<script type="module" src="${path}" integrity="sha256-${digest}"></script>`;
  return { document: page.replace(element, () => link), script };
}
