/** Parses a repository's configuration into `section.subsection.name` variables; the last value wins. */
export function parseGitConfig(text: string): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  let section = "";
  for (const line of text.split(/(?<!\\)\r?\n/u)) {
    const heading = /^\s*\[\s*([\w.-]+)(?:\s+"((?:[^"\\]|\\.)*)")?\s*\]\s*(.*)$/u.exec(line);
    if (heading !== null) {
      const [, name = "", subsection] = heading;
      section = subsection === undefined ? name.toLowerCase() : `${name.toLowerCase()}.${subsection.replaceAll(/\\(.)/gu, "$1")}`;
    }
    const variable = /^\s*([A-Za-z][\w-]*)\s*=\s*(.*)$/su.exec(heading?.[3] ?? line);
    if (variable !== null) values.set(`${section}.${(variable[1] ?? "").toLowerCase()}`, valueOf(variable[2] ?? ""));
  }
  return values;
}

/** Strips quotes, escapes and a trailing comment. */
function valueOf(raw: string): string {
  let value = "";
  for (const [, quoted, escaped, plain, comment] of raw.matchAll(/"((?:[^"\\]|\\.)*)"|\\(\r?\n|.)|([^"\\#;]+)|([#;].*)/gsu)) {
    if (comment !== undefined) break;
    value += quoted?.replaceAll(/\\(.)/gsu, "$1") ?? plain ?? (escaped?.trim() === "" ? "" : escaped);
  }
  return value.trim();
}

/** Returns the URL of the branch's remote, or else of `origin`, or else of the only remote. */
export function remoteUrlOf(config: ReadonlyMap<string, string>, branch: string | undefined): string | undefined {
  const urlOf = (name: string | undefined): string | undefined => (name === undefined ? undefined : config.get(`remote.${name}.url`));
  const urls = [...config].filter(([key]) => /^remote\..*\.url$/su.test(key)).map(([, url]) => url);
  return urlOf(config.get(`branch.${branch}.remote`)) ?? urlOf("origin") ?? (urls.length === 1 ? urls[0] : undefined);
}

const SCHEMES = new Set(["http:", "https:", "ssh:", "git:", "ssh+git:", "git+ssh:"]);
const LONGEST = 500;

/**
 * Returns host and path of a remote, the same for every protocol: without user, password, port, query and the ending `.git`. A local path
 * stays a path. `undefined` for anything else, which may hold secrets.
 */
export function remoteOf(url: string): string | undefined {
  const remote = placeOf(url)
    ?.replace(/\/+$/u, "")
    .replace(/\.git$/iu, "");
  return remote === undefined || remote === "" || remote.length > LONGEST || /[\p{Cc}\p{Cf}]/u.test(remote) ? undefined : remote;
}

function placeOf(url: string): string | undefined {
  if (/^[A-Za-z][A-Za-z0-9+.-]*:\/\//u.test(url)) return placeOfUrl(url);
  if (/^(?:\/|\.{1,2}\/|[A-Za-z]:[\\/])/u.test(url)) return url;
  // The part before the host may be `user` or `user:password`.
  const [, host, path] = /^(?:[^/]*@)?([A-Za-z0-9.-]+|\[[0-9A-Fa-f:]+\]):(?!:)(.+)$/u.exec(url) ?? [];
  return host === undefined || path === undefined ? undefined : `${host.toLowerCase()}/${path.replace(/^\/+/u, "")}`;
}

function placeOfUrl(url: string): string | undefined {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed?.protocol === "file:") return parsed.pathname;
  if (parsed === undefined || !SCHEMES.has(parsed.protocol)) return undefined;
  return `${parsed.hostname.toLowerCase()}${parsed.pathname}`;
}
