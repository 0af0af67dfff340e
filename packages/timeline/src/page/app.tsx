import type { StoreChanges } from "@workrail/runtime";
import type { JSX } from "preact";
import { useCallback, useEffect, useMemo, useReducer, useRef, useState } from "preact/hooks";
import type { SessionList } from "../data/sessions.ts";
import { CheckpointPane } from "./checkpoint-pane.tsx";
import { time } from "./format.ts";
import { CallError, type Host } from "./host.ts";
import { Menu } from "./menu.tsx";
import { followLinks, type Route, useRoute } from "./route.ts";
import { SessionsPane } from "./sessions-pane.tsx";
import { TimelinePane } from "./timeline-pane.tsx";
import { useTimeline } from "./use-timeline.ts";
import { type Done, type Page, PageContext, type SessionVersion, useData } from "./use-data.ts";

/** Time for which a message stays. */
const MESSAGE_MS = 12_000;

/** The whole page: sessions, the timeline of one, and a checkpoint of it. */
export function App({ host }: { readonly host: Host }): JSX.Element {
  const route = useRoute();
  const [versions, changed] = useReducer(changedBy, NO_CHANGES);
  const [isLive, setLive] = useState<boolean | undefined>(undefined);
  const [told, setTold] = useState<Done | undefined>(undefined);
  // A message stays while the user reads it or may undo.
  const [isHeld, setHeld] = useState(false);
  const [searches, clearSearch] = useReducer((count: number) => count + 1, 0);
  const { version } = versions;
  useEffect(followLinks, []);
  useEffect(() => {
    if (told === undefined || isHeld) return undefined;
    const timer = setTimeout(() => setTold(undefined), MESSAGE_MS);
    return () => clearTimeout(timer);
  }, [told, isHeld]);
  const sessions = useData("sessions", () => host.api.sessions({}), version);
  useLive(host, sessions.data, { onChange: changed, onState: setLive });
  const mayWrite = sessions.data?.mayWrite === true;
  const storeOption = sessions.data?.storeOption;
  const tell = useCallback((done: Done) => {
    setHeld(false);
    setTold(done);
  }, []);
  const page = useMemo((): Page => {
    const act = async (work: () => Promise<string | Done>): Promise<void> => {
      try {
        const done = await work();
        tell(typeof done === "string" ? { text: done } : done);
        changed({ sessions: [], isUnknown: true });
      } catch (error) {
        tell({ text: reasonOf(error), isError: true });
      }
    };
    const versionOf = (sessionId: string | undefined): SessionVersion => {
      const { any, lost } = versions.sessions.get(sessionId ?? "") ?? { any: 0, lost: 0 };
      return { any: any + versions.unknown, lost: lost + versions.unknown };
    };
    return { host, api: host.api, version, versionOf, mayWrite, storeOption, act, tell };
  }, [host, versions, mayWrite, storeOption, tell]);
  const timeline = useTimeline(page, route);
  const depth = depthOf(route);
  useTitle(route);
  return (
    <PageContext.Provider value={page}>
      <a class="skip" href="#checkpoint" onClick={skipToContent}>
        Skip to the content
      </a>
      <header class="top">
        <h1>
          <a href="#/" onClick={() => clearSearch(undefined)}>
            Workrail
          </a>
        </h1>
        <p class="state">
          {isLive === undefined ? null : <span class={isLive ? "live on" : "live"}>{isLive ? "Live" : "Not connected"}</span>}
          {host.showWhole === undefined ? null : (
            <button
              type="button"
              class="whole-screen"
              onClick={() => void host.showWhole?.().catch((error: Error) => tell({ text: error.message, isError: true }))}
            >
              Full screen
            </button>
          )}
          <span
            class="mode"
            title={host.savedAt === undefined && !mayWrite ? "Start the page with workrail ui --write to make changes" : undefined}
          >
            {modeOf(host, mayWrite)}
          </span>
          <KeysHelp />
        </p>
      </header>
      <main class={`panes depth-${depth}${isOfStore(route) ? " of-store" : ""}`}>
        <SessionsPane key={searches} route={route} sessions={sessions} />
        <TimelinePane key={route.sessionId} route={route} timeline={timeline} />
        <CheckpointPane route={route} timeline={timeline} />
      </main>
      <div class="told" role="status" aria-live="polite">
        {told === undefined ? null : (
          <p
            class={told.isError === true ? "error" : undefined}
            onMouseEnter={() => setHeld(true)}
            onMouseLeave={() => setHeld(false)}
            onFocusIn={() => setHeld(true)}
            onFocusOut={() => setHeld(false)}
          >
            {told.isError === true ? <strong>Not done:</strong> : null}
            <span>{told.text}</span>
            {told.undo === undefined ? null : (
              <button type="button" onClick={() => void page.act(told.undo as () => Promise<string>)}>
                Undo
              </button>
            )}
          </p>
        )}
      </div>
    </PageContext.Provider>
  );
}

interface Listeners {
  readonly onChange: (changes: StoreChanges) => void;
  readonly onState: (isLive: boolean) => void;
}

/**
 * Follows the store. A change from before the stream began, or while it was interrupted, is not told: the sessions are read once more then, and
 * everything when they differ from those that the page shows.
 */
function useLive(host: Host, shown: SessionList | undefined, { onChange, onState }: Listeners): void {
  const last = useRef(shown);
  last.current = shown;
  useEffect(() => {
    const catchUp = async (): Promise<void> => {
      const now = await host.api.sessions({}).catch(() => undefined);
      // After a failure too: the part of the page that meets it shows it.
      if (JSON.stringify(now) !== JSON.stringify(last.current)) onChange({ sessions: [], isUnknown: true });
    };
    return host.follow?.(onChange, (isLive) => {
      onState(isLive);
      if (isLive) void catchUp();
    });
  }, [host]);
}

interface Versions {
  readonly version: number;
  readonly sessions: ReadonlyMap<string, SessionVersion>;
  /** Changes that may concern any session. */
  readonly unknown: number;
}

const NO_CHANGES: Versions = { version: 0, sessions: new Map(), unknown: 0 };

function changedBy(old: Versions, { sessions, isUnknown }: StoreChanges): Versions {
  const next = new Map(old.sessions);
  for (const { sessionId, change } of sessions) {
    const { any, lost } = next.get(sessionId) ?? { any: 0, lost: 0 };
    next.set(sessionId, { any: any + 1, lost: lost + (change === "extended" ? 0 : 1) });
  }
  return { version: old.version + 1, sessions: next, unknown: old.unknown + (isUnknown === true ? 1 : 0) };
}

/** Returns the number of the pane that a narrow screen shows. */
function depthOf({ screen, sessionId, checkpointId }: Route): number {
  if (screen !== undefined || checkpointId !== undefined) return 3;
  return sessionId === undefined ? 1 : 2;
}

function modeOf({ savedAt }: Host, mayWrite: boolean): string {
  if (savedAt !== undefined) return `Saved ${time(savedAt)}`;
  return mayWrite ? "Editing is on" : "Read only";
}

/** The reason why an action failed, and the advice of the library. */
function reasonOf(error: unknown): string {
  const { message, hint } =
    error instanceof CallError ? error : { message: error instanceof Error ? error.message : String(error), hint: undefined };
  return hint === undefined ? message : `${message} ${hint}`;
}

function KeysHelp(): JSX.Element {
  return (
    <Menu label="Keys" class="plain">
      <dl>
        <div>
          <dt>↑ ↓ Home End</dt>
          <dd>another checkpoint, in the timeline</dd>
        </div>
        <div>
          <dt>← →</dt>
          <dd>another tab, in the tabs of a checkpoint</dd>
        </div>
        <div>
          <dt>Enter, Space</dt>
          <dd>opens and closes an entry</dd>
        </div>
        <div>
          <dt>Esc</dt>
          <dd>closes a menu</dd>
        </div>
      </dl>
    </Menu>
  );
}

/** Storage and activity concern the whole store: the timeline of a session gives way. */
function isOfStore({ screen }: Route): boolean {
  return screen === "storage" || screen === "activity";
}

function skipToContent(event: Event): void {
  event.preventDefault();
  document.querySelector<HTMLElement>("#checkpoint")?.focus();
}

function useTitle({ sessionId, screen }: Route): void {
  const name = screen ?? sessionId;
  useEffect(() => {
    document.title = name === undefined ? "Workrail" : `${name.slice(0, 60)} – Workrail`;
  }, [name]);
}
