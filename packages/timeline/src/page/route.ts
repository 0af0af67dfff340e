import { useEffect, useState } from "preact/hooks";

export const TABS = ["changes", "context", "resume", "handoff", "conversation", "raw"] as const;
export type Tab = (typeof TABS)[number];

/** The place in a checkpoint that a result of a search leads to. */
export interface SearchTarget {
  /** The words as they stand there. */
  readonly words: readonly string[];
  /** Key of the entry, or name of a field. Default: the title, or the conversation on its tab. */
  readonly key?: string | undefined;
  /** Character of the entry's text, or number of the part of the conversation. */
  readonly at?: number | undefined;
}

/** The screen that is shown, as the part of the address after `#`. */
export interface Route {
  /** A screen of the whole store. Default: sessions. */
  readonly screen?: "storage" | "activity" | "growth" | undefined;
  readonly sessionId?: string | undefined;
  readonly checkpointId?: string | undefined;
  readonly tab?: Tab | undefined;
  /** The checkpoint to compare with. Default: the parent. */
  readonly baseId?: string | undefined;
  readonly sought?: SearchTarget | undefined;
}

export function parseRoute(hash: string): Route {
  const [path = "", query = ""] = hash.replace(/^#\/?/u, "").split("?", 2);
  const [kind, session, checkpoint, tab] = path.split("/").map(decoded);
  if (kind === "storage" || kind === "activity") return { screen: kind };
  if (kind === "growth" && session !== undefined) return { screen: kind, sessionId: session };
  if (kind !== "s" || session === undefined || session === "") return {};
  const asked = new URLSearchParams(query);
  return {
    sessionId: session,
    checkpointId: checkpoint === "" ? undefined : checkpoint,
    tab: TABS.find((each) => each === tab),
    baseId: asked.get("base") ?? undefined,
    sought: soughtIn(asked),
  };
}

function soughtIn(asked: URLSearchParams): SearchTarget | undefined {
  const words = asked.getAll("find");
  if (words.length === 0) return undefined;
  const at = asked.get("at");
  return { words, key: asked.get("key") ?? undefined, at: at === null || !/^\d{1,15}$/u.test(at) ? undefined : Number(at) };
}

export function hrefOf({ screen, sessionId, checkpointId, tab, baseId, sought }: Route): string {
  if (screen !== undefined) return screen === "growth" ? `#/growth/${encodeURIComponent(sessionId ?? "")}` : `#/${screen}`;
  if (sessionId === undefined) return "#/";
  const parts = [sessionId, checkpointId ?? (tab === undefined ? undefined : ""), tab].filter((part) => part !== undefined);
  const path = parts.map((part) => encodeURIComponent(part)).join("/");
  const { words = [], key, at } = sought ?? {};
  const asked = new URLSearchParams(words.map((word) => ["find", word]));
  for (const [name, value] of Object.entries({ key, at, base: baseId })) if (value !== undefined) asked.set(name, String(value));
  return `#/s/${path}${asked.size === 0 ? "" : `?${asked}`}`;
}

/** The route that the address names; changes with it. */
export function useRoute(): Route {
  const [route, setRoute] = useState(() => parseRoute(location.hash));
  useEffect(() => {
    const read = (): void => setRoute(parseRoute(location.hash));
    addEventListener("hashchange", read);
    return () => removeEventListener("hashchange", read);
  }, []);
  return route;
}

/**
 * Follows links within the page by changing its fragment. In a frame without an address of its own, a link that is only a fragment leads to
 * the page around.
 *
 * @returns a function that stops it.
 */
export function followLinks(): () => void {
  const follow = (event: MouseEvent): void => {
    const link = (event.target as Element).closest("a")?.getAttribute("href");
    const isPlain = event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey;
    if (event.defaultPrevented || !isPlain || link?.startsWith("#/") !== true) return;
    event.preventDefault();
    // A link to the screen that is shown leads there once more: the user may have scrolled away.
    if (location.hash === link) dispatchEvent(new HashChangeEvent("hashchange"));
    else location.hash = link;
  };
  document.addEventListener("click", follow);
  return () => document.removeEventListener("click", follow);
}

export function go(route: Route): void {
  location.hash = hrefOf(route);
}

const bases = new Map<string, string>();

/** Keeps the base that a checkpoint was compared with last; `undefined`: its parent. */
export function rememberBase(checkpointId: string, baseId: string | undefined): void {
  if (baseId === undefined) bases.delete(checkpointId);
  else bases.set(checkpointId, baseId);
}

/** The base that the checkpoint was compared with last, for links that lead back to it. */
export function baseOf(checkpointId: string): string | undefined {
  return bases.get(checkpointId);
}

let wantsFocus = false;

/** Shows a checkpoint after an action, and has its title take the focus: the button of the action is gone. */
export function openAndFocus(route: Route): void {
  wantsFocus = true;
  go(route);
}

/** True once after `openAndFocus`. */
export function takeFocusRequest(): boolean {
  const wish = wantsFocus;
  wantsFocus = false;
  return wish;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
