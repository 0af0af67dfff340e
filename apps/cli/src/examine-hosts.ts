import type { HostReport } from "@workrail/host-setup";
import type { DoctorFinding } from "@workrail/runtime";

const check = "host";
/** VS Code runs the hooks of Claude Code. */
const WITHOUT_HOOKS: readonly string[] = ["vscode", "windsurf"];

/**
 * Tells how each host is connected with Workrail, and which problems the connection has.
 *
 * @param findings tell which hosts' hooks have run.
 */
export function examineHosts(hosts: readonly HostReport[], findings: readonly DoctorFinding[]): readonly DoctorFinding[] {
  const isKnown = findings.some(({ check, status }) => check === "hooks" && status !== "error");
  return hosts.flatMap((report) => {
    const hasRun = findings.some(({ check, host }) => check === "hooks" && host === report.host);
    return [connectionOf(report), ...faultsOf(report), ...(isKnown && report.hooks.length > 0 && !hasRun ? [silent(report)] : [])];
  });
}

function connectionOf(report: HostReport): DoctorFinding {
  const { host, title, hasPlugin, servers, hooks } = report;
  const parts = [
    ...(hasPlugin ? ["the plugin of Workrail is on"] : []),
    ...servers.map(({ file }) => `MCP server in ${file}`),
    ...hooks.map(({ events, file }) => `hooks ${events.join(", ")} in ${file}`),
  ];
  const message = `${title}: ${parts.length === 0 ? "not connected" : parts.join("; ")}.`;
  return { check, host, status: "ok", message, ...hintOn(report) };
}

function hintOn({ host, hasPlugin, servers, hooks }: HostReport): Pick<DoctorFinding, "hint"> {
  const wantsHooks = hooks.length === 0 && !WITHOUT_HOOKS.includes(host);
  if (hasPlugin || (servers.length > 0 && !wantsHooks)) return {};
  const missing = servers.length > 0 ? "the hooks" : hooks.length > 0 ? "the MCP server" : "it";
  return { hint: `\`workrail setup ${host}\` ${missing === "it" ? "connects it" : `adds ${missing}`}.` };
}

function faultsOf({ host, faults }: HostReport): readonly DoctorFinding[] {
  return faults.map(({ message, hint }) => ({ check, host, status: "warning", message, ...(hint === undefined ? {} : { hint }) }));
}

function silent({ host, title }: HostReport): DoctorFinding {
  const trust = host === "codex" ? ", and run /hooks in it: Codex skips hooks that are not trusted" : "";
  return { check, host, status: "warning", message: `${title}: no hook has run yet.`, hint: `Restart ${title}${trust}.` };
}
