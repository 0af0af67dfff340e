import type { HostPart } from "../src/host-part.ts";

/** Examples of existing files of hosts, by file extension and by the syntax that the host allows. */
export function existingTexts({ file, kind }: HostPart, host: string): Readonly<Record<string, string>> {
  if (file.endsWith(".toml")) return TOML;
  if (file.endsWith(".js")) return {};
  const allowsComments = ["gemini", "vscode", "opencode"].includes(host);
  const others = kind === "mcp" || host === "gemini" ? withServers(host) : withHooks(host);
  const [, settings = "", last = ""] = /^([^]*?)(\n?)$/u.exec(others) ?? [];
  const shapes = {
    empty: "",
    "an empty object": "{}",
    "an empty object in two lines": "{\n}\n",
    "other entries": others,
    "no line end at the end": settings,
    "line ends of Windows": others.replaceAll("\n", "\r\n"),
    tabs: others.replaceAll("  ", "\t"),
    "four blanks": others.replaceAll("  ", "    "),
    "a byte order mark": `\uFEFF${others}`,
    "one line": JSON.stringify(JSON.parse(others)),
    "letters beyond ASCII": others.replace('"theirs"', '"größer 😀 \\u00e9"') + last,
  };
  if (!allowsComments) return shapes;
  const comments = {
    comments: `// mine\n${others.replace("{\n", "{ // first\n  /* second */\n")}// the end`,
    "a comment behind the last entry": others.replace(/\n\}\n$/u, " // last\n  // very last\n}\n"),
    "comments alone": "// nothing yet\n",
  };
  if (host === "gemini") return { ...shapes, ...comments };
  return { ...shapes, ...comments, "a comma behind the last entry": others.replace(/\n\}\n$/u, ",\n}\n") };
}

const KEYS: Readonly<Record<string, string>> = { vscode: "servers", opencode: "mcp" };

function withServers(host: string): string {
  const other = host === "opencode" ? { type: "local", command: ["uvx", "theirs"] } : { command: "uvx", args: ["theirs"], env: { A: "b" } };
  return `${JSON.stringify({ theme: "dark", [KEYS[host] ?? "mcpServers"]: { theirs: other }, last: [1, 2.5] }, undefined, 2)}\n`;
}

function withHooks(host: string): string {
  if (host === "cursor")
    return `${JSON.stringify({ version: 1, hooks: { stop: [{ command: "theirs" }], afterFileEdit: [] } }, undefined, 2)}\n`;
  const theirs = { matcher: "", hooks: [{ type: "command", command: "theirs", timeout: 60 }] };
  return `${JSON.stringify({ permissions: { allow: ["Bash(ls:*)"] }, hooks: { Stop: [theirs], PostToolUse: [] }, model: "theirs" }, undefined, 2)}\n`;
}

const TYPICAL = `# my settings
model   =  "theirs" # the best

[mcp_servers.theirs]   # theirs
command = 'uvx'
args = ["theirs", ]

[profiles.x]
big = 1_000
at = 2020-01-01T00:00:00Z

[[list]]
a = """
[mcp_servers.workrail]
"""
# the end
`;

const TOML: Readonly<Record<string, string>> = {
  empty: "",
  comments: "# nothing yet\n",
  "other entries": TYPICAL,
  "no line end at the end": TYPICAL.trimEnd(),
  "line ends of Windows": TYPICAL.replaceAll("\n", "\r\n"),
  "a byte order mark": `\uFEFF${TYPICAL}`,
  "servers in one line": 'mcp_servers = { theirs = { command = "uvx" } } # theirs\n',
  "servers by dotted names": 'mcp_servers.theirs.command = "uvx"\n',
};
