import { join } from "node:path";
import type { Call, HostName, PlanItem } from "./scenario.ts";

/** A call as a host's model would make it. */
export interface HostCall {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** Input as plain text instead of JSON (Codex's `apply_patch`). */
  readonly plain?: string;
}

/** The context that calls depend on. */
export interface CallContext {
  /** Absolute path of the repository. */
  readonly project: string;
  /** Plan items that were created, in order. */
  readonly plan: PlanItem[];
  /** The names of the tools that the host offered. */
  readonly offered: ReadonlySet<string>;
}

/** Translates a call into calls of a host's own tools. A plan becomes several calls when the host takes one call per item. */
export function hostCalls(host: HostName, call: Call, context: CallContext): readonly HostCall[] {
  switch (host) {
    case "claude-code":
      return claudeCalls(call, context);
    case "codex":
      return [codexCall(call, context)];
    case "gemini":
      return [geminiCall(call, context)];
    case "opencode":
      return [opencodeCall(call, context)];
  }
}

function claudeCalls(call: Call, { project, plan }: CallContext): readonly HostCall[] {
  switch (call.tool) {
    case "shell":
      return [{ name: "Bash", input: { command: call.command, description: about(call) } }];
    case "read":
      return [{ name: "Read", input: { file_path: join(project, call.path) } }];
    case "write":
      return [{ name: "Write", input: { file_path: join(project, call.path), content: call.content } }];
    case "edit":
      return [{ name: "Edit", input: { file_path: join(project, call.path), old_string: call.old, new_string: call.new } }];
    case "agent":
      return [
        {
          name: "Agent",
          input: { description: call.about, prompt: call.prompt, subagent_type: "general-purpose", run_in_background: false },
        },
      ];
    case "plan":
      return taskCalls(call.items, plan);
  }
}

/** Claude Code numbers tasks from 1 in the order in which they are made. */
function taskCalls(items: readonly PlanItem[], plan: PlanItem[]): readonly HostCall[] {
  return items.flatMap((item) => {
    const index = plan.findIndex(({ text }) => text === item.text);
    const known = plan[index];
    if (known === undefined) {
      plan.push(item);
      const made = { name: "TaskCreate", input: { subject: item.text, description: item.text } };
      return item.status === "pending" ? [made] : [made, taskUpdate(plan.length, item)];
    }
    if (known.status === item.status) return [];
    plan[index] = item;
    return [taskUpdate(index + 1, item)];
  });
}

function taskUpdate(number: number, { status }: PlanItem): HostCall {
  return { name: "TaskUpdate", input: { taskId: String(number), status } };
}

function codexCall(call: Call, { offered }: CallContext): HostCall {
  switch (call.tool) {
    case "shell":
      return codexShell(call.command, offered);
    case "read":
      return codexShell(`sed -n '1,240p' ${call.path}`, offered);
    case "write":
      return codexPatch([`*** Add File: ${call.path}`, ...prefixed("+", call.content.replace(/\n$/, ""))]);
    case "edit":
      return codexPatch([`*** Update File: ${call.path}`, "@@", ...prefixed("-", call.old), ...prefixed("+", call.new)]);
    case "agent":
      throw unsupported("codex");
    case "plan":
      return { name: "update_plan", input: { plan: call.items.map(({ text, status }) => ({ step: text, status })) } };
  }
}

function codexShell(command: string, offered: ReadonlySet<string>): HostCall {
  if (offered.has("exec_command")) return { name: "exec_command", input: { cmd: command } };
  if (offered.has("shell_command")) return { name: "shell_command", input: { command } };
  return { name: "shell", input: { command: ["bash", "-lc", command] } };
}

function codexPatch(lines: readonly string[]): HostCall {
  return { name: "apply_patch", input: {}, plain: ["*** Begin Patch", ...lines, "*** End Patch"].join("\n") };
}

function prefixed(sign: string, text: string): readonly string[] {
  return text === "" ? [] : text.split("\n").map((line) => sign + line);
}

function geminiCall(call: Call, { project }: CallContext): HostCall {
  switch (call.tool) {
    case "shell":
      return { name: "run_shell_command", input: { command: call.command, description: about(call) } };
    case "read":
      return { name: "read_file", input: { file_path: join(project, call.path) } };
    case "write":
      return { name: "write_file", input: { file_path: join(project, call.path), content: call.content } };
    case "edit":
      return {
        name: "replace",
        input: { file_path: join(project, call.path), instruction: "Change these lines.", old_string: call.old, new_string: call.new },
      };
    case "agent":
      throw unsupported("gemini");
    case "plan":
      return { name: "write_todos", input: { todos: call.items.map(({ text, status }) => ({ description: text, status })) } };
  }
}

function opencodeCall(call: Call, { project }: CallContext): HostCall {
  switch (call.tool) {
    case "shell":
      return { name: "bash", input: { command: call.command, description: about(call) } };
    case "read":
      return { name: "read", input: { filePath: join(project, call.path) } };
    case "write":
      return { name: "write", input: { filePath: join(project, call.path), content: call.content } };
    case "edit":
      return { name: "edit", input: { filePath: join(project, call.path), oldString: call.old, newString: call.new } };
    case "agent":
      throw unsupported("opencode");
    case "plan":
      return { name: "todowrite", input: { todos: call.items.map(({ text, status }) => ({ content: text, status, priority: "medium" })) } };
  }
}

function unsupported(host: HostName): Error {
  return new Error(`Scenarios with sub-agents run only on claude-code, not on ${host}.`);
}

/** Hosts ask the model to describe a command in a few words. */
function about(call: Call & { readonly tool: "shell" }): string {
  const first = call.command.split(/ && | \| |\n/)[0] as string;
  return call.about ?? `Run ${first.length > 50 ? first.split(" ")[0] : first}`;
}
