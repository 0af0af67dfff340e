import { isDeepStrictEqual } from "node:util";
import type { StatePatch } from "@workrail/runtime";
import { messagesToJson } from "./message-json.ts";

/** Returns the smallest patch that makes `saved` into `wanted`; `undefined` when they are equal. */
export function changeOf(saved: readonly object[], wanted: readonly object[]): StatePatch | undefined {
  const same = lengthInCommon(saved, wanted);
  if (same === saved.length) {
    return same === wanted.length ? undefined : { append: { messages: messagesToJson(wanted.slice(same)) } };
  }
  const [before, after] = [saved[same], wanted[same]];
  const isLast = same === saved.length - 1 && same === wanted.length - 1;
  return isLast && before !== undefined && after !== undefined
    ? changeOfOne(before, after, `/messages/${same}`)
    : { set: { messages: messagesToJson(wanted) } };
}

/** True when the messages continue those that are saved. */
export function beginsWith(messages: readonly object[], saved: readonly object[]): boolean {
  return lengthInCommon(saved, messages) === saved.length;
}

/** A message of a chat grows by parts. */
function changeOfOne(before: Growing, after: Growing, place: string): StatePatch {
  const [from, to] = [before.parts, after.parts];
  if (from !== undefined && to !== undefined && lengthInCommon(from, to) === from.length && isSame({ ...before, parts: to }, after)) {
    return { append: { [`${place}/parts`]: messagesToJson(to.slice(from.length)) } };
  }
  return { set: { [place]: messagesToJson([after])[0] } };
}

interface Growing {
  readonly parts?: readonly object[];
}

function lengthInCommon(left: readonly object[], right: readonly object[]): number {
  const different = left.findIndex((item, at) => {
    const other = right[at];
    return other === undefined || !isSame(item, other);
  });
  return different === -1 ? left.length : different;
}

/** Most messages are still the same objects. */
function isSame(left: object, right: object): boolean {
  return left === right || isDeepStrictEqual(messagesToJson([left]), messagesToJson([right]));
}
