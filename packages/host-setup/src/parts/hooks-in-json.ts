import { type JsonPath, nodeAt, replaceValue, valueAt } from "../json/edit-json.ts";
import { addItem, addMember, asRecord, itemsAt, isLeftOver, membersAt, removeWithContainers, startOf } from "../json/json-members.ts";
import { isBlankJson, type JsonFile, type JsonSource, readJsonText } from "../json/json-text.ts";
import { type HostPart, NO_FINDINGS } from "../host-part.ts";
import { isOurHook } from "../our-program.ts";

/** An event of a host, and the hook that it calls. */
export interface HookedEvent {
  /** The host's name of the event. */
  readonly event: string;
  readonly command: string;
  /** In the unit of the host. */
  readonly timeout: number;
}

export interface HooksInJson extends JsonFile {
  /** `groups`: hooks are in a group with a matcher. `flat`: each hook is a separate item. */
  readonly shape: "groups" | "flat";
  /** Members that a hook has besides `command` and `timeout`. */
  readonly extra?: Readonly<Record<string, unknown>>;
  /** Members that the file must have beside its hooks. */
  readonly head?: Readonly<Record<string, unknown>>;
}

/** Our hook, and the place of its command. */
interface Found {
  readonly event: string;
  readonly command: string;
  readonly at: JsonPath;
  /** The value to remove: the hook, or its group when the group has no other hook. */
  readonly whole: JsonPath;
}

/** The hooks of a host that keeps them in JSON under `hooks`. */
export function hooksInJson(json: HooksInJson, hooks: readonly HookedEvent[]): HostPart {
  const { file, dialect } = json;
  return {
    kind: "hooks",
    file,
    entries: `hooks ${hooks.map(({ event }) => event).join(", ")}`,
    add: (text) => withHooks(json, withHead(json, startOf(json, text)), hooks).text,
    remove(text, before) {
      if (isBlankJson(text, dialect)) return text;
      let source = readJsonText(json, text);
      if (findHooks(json, source).length === 0) return text;
      // In reverse order, so that the indexes of earlier hooks stay true.
      for (const { whole } of findHooks(json, source).toReversed()) source = removeWithContainers(source, whole, before);
      return source.text;
    },
    isLeftOver: (text) => isLeftOver(json, text, Object.keys(json.head ?? {})),
    inspect(text) {
      if (isBlankJson(text, dialect)) return NO_FINDINGS;
      const found = findHooks(json, readJsonText(json, text));
      const unique = (values: readonly string[]): readonly string[] => [...new Set(values)];
      return { events: unique(found.map(({ event }) => event)), commands: unique(found.map(({ command }) => command)) };
    },
  };
}

function withHead(json: HooksInJson, source: JsonSource): JsonSource {
  let headed = source;
  for (const [name, value] of Object.entries(json.head ?? {})) {
    if (nodeAt(headed, [name]) === undefined) headed = addMember(headed, [name], value);
  }
  return headed;
}

function withHooks(json: HooksInJson, source: JsonSource, hooks: readonly HookedEvent[]): JsonSource {
  let hooked = source;
  for (const hook of hooks) {
    const there = findHooks(json, hooked).find(({ event }) => event === hook.event);
    if (there === undefined) hooked = addItem(hooked, ["hooks", hook.event], spelled(json, hook));
    else if (there.command !== hook.command) hooked = withCommand(hooked, there, hook.command);
  }
  return hooked;
}

/** Updates the hook of another installation: only its command changes. */
function withCommand(source: JsonSource, { at }: Found, command: string): JsonSource {
  const node = nodeAt(source, at);
  return node === undefined ? source : readJsonText(source, replaceValue(source, node, command));
}

function spelled({ shape, extra }: HooksInJson, { command, timeout }: HookedEvent): unknown {
  const hook = { ...extra, command, timeout };
  return shape === "flat" ? hook : { hooks: [hook] };
}

function findHooks({ shape }: HooksInJson, source: JsonSource): readonly Found[] {
  return Object.keys(membersAt(source, ["hooks"])).flatMap((event) =>
    itemsAt(source, ["hooks", event]).flatMap((item, index): readonly Found[] => {
      const whole = ["hooks", event, index];
      if (shape === "flat") return foundIn(item, { event, path: whole, whole });
      const group = asRecord(item)["hooks"];
      if (!Array.isArray(group)) return [];
      return group.flatMap((hook, inner) => {
        const path = [...whole, "hooks", inner];
        return foundIn(hook, { event, path, whole: group.length === 1 ? whole : path });
      });
    }),
  );
}

function foundIn(hook: unknown, { event, path, whole }: Pick<Found, "event" | "whole"> & { readonly path: JsonPath }): readonly Found[] {
  const { command } = asRecord(hook);
  return typeof command === "string" && isOurHook(command) ? [{ event, command, at: [...path, "command"], whole }] : [];
}

/** Tells whether a plugin of ours is turned on in a settings file of Claude Code. */
export function hasPluginOn(text: string): boolean {
  const source = readJsonText({ file: "", dialect: "strict" }, text);
  return Object.entries(asRecord(valueAt(source, ["enabledPlugins"]))).some(
    ([name, isOn]) => name.startsWith("workrail@") && isOn === true,
  );
}
