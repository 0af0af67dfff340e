import { useEffect, useState } from "preact/hooks";

export const TABS = ["changes", "context", "resume", "handoff", "conversation", "raw"] as const;
export type Tab = (typeof TABS)[number];

/** The screen that is shown, as the part of the address after `#`. */
export interface Route {
  /** A screen of the whole store. Default: sessions. */
  readonly screen?: "storage" | "activity" | "growth" | undefined;
  readonly sessionId?: string | undefined;
  readonly checkpointId?: string | undefined;
  readonly tab?: Tab | undefined;
  /** The checkpoint to compare with. Default: the parent. */
  readonly baseId?: string | undefined;
}

export function parseRoute(hash: string): Route {
  const [path = "", query = ""] = hash.replace(/^#\/?/u, "").split("?", 2);
  const [kind, session, checkpoint, tab] = path.split("/").map(decoded);
  if (kind === "storage" || kind === "activity") return { screen: kind };
  if (kind === "growth" && session !== undefined) return { screen: kind, sessionId: session };
  if (kind !== "s" || session === undefined || session === "") return {};
  const base = new URLSearchParams(query).get("base");
  return {
    sessionId: session,
    checkpointId: checkpoint === "" ? undefined : checkpoint,
    tab: TABS.find((each) => each === tab),
    baseId: base ?? undefined,
  };
}

export function hrefOf({ screen, sessionId, checkpointId, tab, baseId }: Route): string {
  if (screen !== undefined) return screen === "growth" ? `#/growth/${encodeURIComponent(sessionId ?? "")}` : `#/${screen}`;
  if (sessionId === undefined) return "#/";
  const parts = [sessionId, checkpointId ?? (tab === undefined ? undefined : ""), tab].filter((part) => part !== undefined);
  const path = parts.map((part) => encodeURIComponent(part)).join("/");
  return `#/s/${path}${baseId === undefined ? "" : `?base=${encodeURIComponent(baseId)}`}`;
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
    location.hash = link;
  };
  document.addEventListener("click", follow);
  return () => document.removeEventListener("click", follow);
}

export function go(route: Route): void {
  location.hash = hrefOf(route);
}

let wantsFocus = false;

/** Shows a checkpoint after an action, and has its title take the focus: the button of the action is gone. */
export function goAndFocus(route: Route): void {
  wantsFocus = true;
  go(route);
}

/** True once after `goAndFocus`. */
export function takeFocusWish(): boolean {
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
