/** What a repository's configuration says, each variable as `section.subsection.name`; the last one wins. */
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

/** Without quotes, escapes and a comment behind it. */
function valueOf(raw: string): string {
  let value = "";
  for (const [, quoted, escaped, plain, comment] of raw.matchAll(/"((?:[^"\\]|\\.)*)"|\\(\r?\n|.)|([^"\\#;]+)|([#;].*)/gsu)) {
    if (comment !== undefined) break;
    value += quoted?.replaceAll(/\\(.)/gsu, "$1") ?? plain ?? (escaped?.trim() === "" ? "" : escaped);
  }
  return value.trim();
}

/** The remote that a branch belongs to, or else the usual one, or else the only one. */
export function remoteUrlOf(config: ReadonlyMap<string, string>, branch: string | undefined): string | undefined {
  const urlOf = (name: string | undefined): string | undefined => (name === undefined ? undefined : config.get(`remote.${name}.url`));
  const urls = [...config].filter(([key]) => /^remote\..*\.url$/su.test(key)).map(([, url]) => url);
  return urlOf(config.get(`branch.${branch}.remote`)) ?? urlOf("origin") ?? (urls.length === 1 ? urls[0] : undefined);
}

const SCHEMES = new Set(["http:", "https:", "ssh:", "git:", "ssh+git:", "git+ssh:"]);
const LONGEST = 500;

/**
 * Host and path of a remote, the same however it is reached: users, passwords, ports, queries and the ending `.git` are not
 * part of it. A path of this machine stays one. `undefined` for what is neither: it may hold anything.
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
  // A name before the host may be `user` or `user:password`.
  const [, host, path] = /^(?:[^/]*@)?([A-Za-z0-9.-]+|\[[0-9A-Fa-f:]+\]):(?!:)(.+)$/u.exec(url) ?? [];
  return host === undefined || path === undefined ? undefined : `${host.toLowerCase()}/${path.replace(/^\/+/u, "")}`;
}

function placeOfUrl(url: string): string | undefined {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed?.protocol === "file:") return parsed.pathname;
  if (parsed === undefined || !SCHEMES.has(parsed.protocol)) return undefined;
  return `${parsed.hostname.toLowerCase()}${parsed.pathname}`;
}
