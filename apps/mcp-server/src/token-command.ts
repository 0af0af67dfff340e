import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { invalidInput } from "@workrail/core";
import { readConfiguration } from "@workrail/runtime";
import { projectsIn, SCOPES, type Scope, tenantIn } from "./http/access.ts";
import { createToken, readTokens, revokeToken } from "./http/token-file.ts";
import { toToolFailure } from "./wire-errors.ts";

const USAGE = `Usage: workrail-mcp token create <name> --scopes <read,write,admin> [--tenant <name>]
                                        [--project <path>]... [--days <number>]
       workrail-mcp token list
       workrail-mcp token revoke <name>

Manages bearer tokens of the HTTP server. The file holds only their hashes; a running server reads it again when it changes.

  --scopes <list>           read: tools that only read; write: those that save; admin: those that delete for good
  --tenant <name>           tenant whose store the token opens; default: the server's own tenant
  --project <path>          root of a project that the token may use, repeatable; saves go to the first; default: all
  --days <number>           days until the token expires, 1 to 3650; default: 90
  --http-token-file <path>  default: the setting httpTokenFile
`;

const DAYS = 90;
const MOST_DAYS = 3_650;

const OPTIONS = {
  scopes: { type: "string" },
  tenant: { type: "string" },
  project: { type: "string", multiple: true },
  days: { type: "string" },
  "http-token-file": { type: "string" },
  "data-dir": { type: "string" },
  help: { type: "boolean", short: "h" },
} as const;

/** Runs `workrail-mcp token`: makes, lists and revokes bearer tokens. Sets the exit code. */
export function runTokenCommand(args: readonly string[]): void {
  try {
    process.stdout.write(answerTo(args));
  } catch (error) {
    process.stderr.write(`${toToolFailure(error).text}\n`);
    process.exitCode = 2;
  }
}

/** @throws INVALID_INPUT */
function answerTo(args: readonly string[]): string {
  const { values, positionals } = parsed(args);
  const [verb = "help", name = "", ...more] = positionals;
  if (values.help === true || verb === "help") return USAGE;
  if (more.length > 0 || (verb === "list") !== (name === ""))
    throw invalidInput("token", `token ${verb} takes ${verb === "list" ? "no name" : "one name"}.`, "See: workrail-mcp token help");
  const file = tokenFileOf(values);
  switch (verb) {
    case "create": {
      const token = createToken(file, {
        name,
        scopes: scopesOf(values.scopes),
        tenant: tenantOf(values.tenant),
        projects: projectsIn((values.project ?? []).map((given) => resolve(given))),
        days: daysOf(values.days),
      });
      process.stderr.write("This is the only time that the token is shown:\n");
      return `${token}\n`;
    }
    case "list":
      return readTokens(file)
        .map(({ name: each, scopes, tenant, expiresAt, projects = [] }) => {
          const only = projects.map((project) => `  ${JSON.stringify(project)}`).join("");
          const whose = tenant === undefined ? "" : `  tenant ${JSON.stringify(tenant)}`;
          return `${each}  ${scopes.join(",")}  expires ${expiresAt}${whose}${only}\n`;
        })
        .join("");
    case "revoke":
      revokeToken(file, name);
      return `Revoked ${name}.\n`;
    default:
      throw invalidInput("token", `There is no command token ${verb}.`, "See: workrail-mcp token help");
  }
}

function parsed(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true });
  } catch (cause) {
    throw invalidInput("token", (cause as Error).message, "See: workrail-mcp token help");
  }
}

function tokenFileOf(given: Readonly<Record<string, unknown>>): string {
  const names = ["http-token-file", "data-dir"].filter((name) => typeof given[name] === "string");
  const { values } = readConfiguration({ env: process.env, args: names.map((name) => `--${name}=${String(given[name])}`) });
  if (values.httpTokenFile !== undefined) return values.httpTokenFile;
  throw invalidInput("httpTokenFile", "There is no token file.", "Give --http-token-file, or set httpTokenFile.");
}

function scopesOf(text = ""): readonly Scope[] {
  const words = text.split(",");
  const scopes = SCOPES.filter((scope) => words.includes(scope));
  if (scopes.length === new Set(words).size) return scopes;
  throw invalidInput("scopes", `--scopes must be some of ${SCOPES.join(", ")}, separated by commas.`, "Such as --scopes read,write");
}

function tenantOf(given: string | undefined): string | undefined {
  const tenant = tenantIn(given);
  if (given === undefined || tenant !== undefined) return tenant;
  throw invalidInput("tenant", "--tenant must be a name of 1 to 128 characters.", "Leave it out for the server's own tenant.");
}

function daysOf(text = String(DAYS)): number {
  const days = Number(text);
  if (Number.isSafeInteger(days) && days >= 1 && days <= MOST_DAYS) return days;
  throw invalidInput("days", `--days must be a whole number from 1 to ${MOST_DAYS}.`, "Leave it out for 90.");
}
