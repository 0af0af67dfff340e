import type { GoldenCases } from "./golden-case.ts";
import { PASSWORD } from "./prepared-store.ts";

const KEY = "0".repeat(64);
const OTHER_KEY = "1".repeat(64);
const SEALED = { WORKRAIL_ENCRYPTION_KEY: KEY };
const DAMAGED = { "data/contexts/shop/other-way.json.gz": "not gzip" };
/** Hides the home directory of the person who runs the tests. */
const NO_HOME = { HOME: "/nonexistent" };
const NO_AGENTS = {
  ...NO_HOME,
  PATH: "/nonexistent",
  XDG_CONFIG_HOME: "",
  CLAUDE_CONFIG_DIR: "",
  CODEX_HOME: "",
  GEMINI_CLI_HOME: "",
};
const NO_JSON = "agents read it";
const NO_QUESTION = "with --json nobody is asked";

/** Every command, in the order of the help. `expected` holds the output, one file for each command. */
export const GOLDEN_CASES: GoldenCases = {
  save: [
    { args: ["--session", "shop", "--id", "new", "--name", "shipped"], input: '{"goal":"tell the customers","status":"begun"}' },
    { args: ["--session", "server", "--id", "again"], input: JSON.stringify({ goal: "reach the server", password: PASSWORD }) },
    { args: ["--session", "new-one", "--id", "new"], input: JSON.stringify({ goal: "anything", password: PASSWORD }) },
    { args: ["--session", "shop", "--expect-new"], input: "{}" },
    { input: "[]" },
  ],
  load: [{ args: ["plan"] }, { args: ["--session", "server"], typed: "" }, { args: ["nothing"] }],
  show: [{ args: ["tested"], typed: "" }],
  list: [{ typed: "" }, { args: ["--session", "shop", "--limit", "2"] }, { args: ["--tag", "none"] }],
  search: [{ args: ["rounds", "prices"], typed: "" }, { args: ["zebra"] }],
  resume: [{ typed: "" }, { args: ["--session", "server"] }, { args: ["--session", "shop", "--depth", "view"] }],
  handoff: [{ args: ["tested"] }],
  sessions: [{ typed: "" }],
  log: [{ args: ["shop"], typed: "" }],
  diff: [{ args: ["cart", "tested"], typed: "" }],
  ui: [{ args: ["--port", "70000"] }, { args: ["--export", "page.html"] }],
  stats: [{ typed: "" }, { args: ["--savings"], typed: "" }],
  tag: [{ args: ["shop", "urgent", "--remove", "none"] }],
  pin: [{ args: ["shop", "goal"] }, { args: ["shop", "nothing"] }],
  unpin: [{ args: ["shop", "goal"], after: [["pin", "shop", "goal"]] }],
  keep: [{ args: ["shop"] }, { args: ["shop", "--off"], after: [["keep", "shop"]] }],
  compress: [{ args: ["--checkpoint", "tested", "--budget", "120"] }, { args: ["--session", "shop"], input: '{"goal":"not saved yet"}' }],
  prioritize: [{ args: ["--checkpoint", "tested"] }, { args: ["--checkpoint", "tested", "--dry-run"], typed: "" }],
  export: [{ args: ["shop"] }, { args: ["--all", "--output", "all"] }, { args: ["server", "--output", "-"] }],
  import: [
    { args: ["shop.json", "--on-conflict", "rename"], after: [["export", "shop", "--output", "shop.json"]] },
    { args: ["shop.json", "--dry-run"], after: [["export", "shop", "--output", "shop.json"]] },
  ],
  delete: [
    { args: ["plan", "--dry-run"] },
    { args: ["plan", "cart", "--yes"] },
    { args: ["--session", "shop", "--permanently", "--dry-run"] },
    {
      args: ["plan", "removed", "--permanently", "--yes"],
      after: [
        ["keep", "shop"],
        ["export", "gone"],
      ],
    },
    { args: ["plan", "--permanently", "--yes"] },
    { args: ["plan"] },
    { args: ["plan"], typed: "y", withoutJson: NO_QUESTION },
    { args: ["plan"], typed: "n", withoutJson: NO_QUESTION },
  ],
  cleanup: [
    { args: ["--keep-last", "1", "--dry-run"] },
    { args: ["--keep-last", "1", "--session", "shop", "--yes"] },
    { args: ["--yes"] },
    { args: ["--keep-last", "1"], typed: "y", withoutJson: NO_QUESTION },
  ],
  "trash list": [{ typed: "" }],
  "trash restore": [{ args: ["gone"] }],
  "trash empty": [{ args: ["--yes"] }, { typed: "n", withoutJson: NO_QUESTION }],
  backup: [{ args: ["copy"], typed: "" }],
  restore: [
    { args: ["copy", "--yes"], after: [["backup", "copy"]] },
    { args: ["copy"], after: [["backup", "copy"]] },
  ],
  copy: [
    { args: ["--to", "copied"] },
    {
      args: ["--to", "copied"],
      after: [
        ["copy", "--to", "copied"],
        ["tag", "shop", "urgent", "--data-dir", "copied"],
      ],
    },
  ],
  sync: [
    { args: ["--to", "other"] },
    {
      args: ["--to", "copied"],
      after: [
        ["copy", "--to", "copied"],
        ["tag", "shop", "urgent", "--data-dir", "copied"],
        ["save", "theirs.json", "--session", "shop", "--id", "theirs", "--data-dir", "copied"],
        ["save", "ours.json", "--session", "shop", "--id", "ours"],
      ],
      files: { "project/theirs.json": '{"by":"them"}', "project/ours.json": '{"by":"us"}' },
    },
  ],
  migrate: [{}],
  upkeep: [{ args: ["--once"] }, { args: ["--once", "--verify"], files: DAMAGED }],
  status: [{ typed: "" }],
  verify: [{ typed: "" }, { files: DAMAGED }],
  "audit list": [{ args: ["--limit", "3"], typed: "" }, { args: ["--session", "gone", "--action", "trash"] }],
  "audit verify": [{ typed: "" }, { args: ["--expect", `99:${"0".repeat(32)}`] }],
  "audit export": [{ args: ["audit.jsonl"] }, { args: ["--session", "gone"], withoutJson: "it is lines of JSON in any case" }],
  repair: [
    { args: ["--dry-run"], files: DAMAGED },
    { files: DAMAGED, typed: "" },
  ],
  rebuild: [{}],
  scan: [{ typed: "" }, { args: ["--session", "shop"] }, { args: ["--session", "shop"], files: DAMAGED }],
  encrypt: [
    { env: SEALED, typed: "" },
    { args: ["--off"], env: SEALED, after: [["encrypt"]], typed: "" },
  ],
  rekey: [
    { args: ["--new-key-file", "key"], env: SEALED, after: [["encrypt"]], files: { "project/key": OTHER_KEY }, typed: "" },
    { args: ["--deep", "--new-key-file", "key"], env: SEALED, after: [["encrypt"]], files: { "project/key": OTHER_KEY }, typed: "" },
  ],
  setup: [
    { args: ["vscode", "gemini", "--scope", "project", "--no-hooks", "--yes"], env: NO_HOME, typed: "" },
    { args: ["vscode", "--scope", "project"], env: NO_HOME },
    { args: ["vscode", "--scope", "project"], env: NO_HOME, typed: "y", withoutJson: NO_QUESTION },
    { args: ["windsurf", "--scope", "project", "--dry-run"], env: NO_HOME },
    {
      args: ["vscode", "--scope", "project", "--remove", "--yes"],
      env: NO_HOME,
      files: { "project/.vscode/mcp.json": '{\n  // mine\n  "servers": {}\n}\n' },
      after: [["setup", "vscode", "--scope", "project", "--yes"]],
    },
    { args: ["claude-code", "--scope", "project", "--no-hooks", "--yes"], env: NO_HOME, files: { "project/.mcp.json": "{ // mine\n}\n" } },
  ],
  hook: [
    { args: ["stop", "--host", "claude-code"], withoutJson: NO_JSON },
    { args: ["stop", "--strict"], withoutJson: NO_JSON },
    { args: ["stopped"], withoutJson: NO_JSON },
  ],
  statusline: [{ withoutJson: NO_JSON }],
  doctor: [
    { env: NO_AGENTS, typed: "" },
    { env: NO_AGENTS, files: { "data/config.json": '{\n  "maxDepht": 5\n}\n' } },
  ],
  "config list": [
    {
      args: ["--origin"],
      env: { WORKRAIL_MAX_DEPTH: "5", COLUMNS: "400" },
      files: { "data/config.json": '{ "retentionDays": 90 }\n' },
      typed: "",
    },
  ],
  "config get": [{ args: ["retentionDays"] }],
  "config set": [{ args: ["retentionDays", "90"] }, { args: ["retentionDays", "many"] }],
  "config unset": [{ args: ["retentionDays"], files: { "data/config.json": '{ "retentionDays": 90 }\n' } }],
  "config path": [{}],
  "config schema": [{}],
  completion: [{ args: ["fish"] }],
};
