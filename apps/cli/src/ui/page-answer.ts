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
