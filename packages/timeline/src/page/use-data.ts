import { createContext } from "preact";
import { useContext, useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { DataApi } from "../data/calls.ts";
import type { Host } from "./host.ts";

/** Things that every part of the page needs. */
export interface Page {
  readonly host: Host;
  readonly api: DataApi;
  /** Counts the changes of the store: data is read again when it grows. */
  readonly version: number;
  /** Counts the changes of one session. */
  readonly versionOf: (sessionId: string | undefined) => SessionVersion;
  readonly mayWrite: boolean;
  /** Does something that changes the store, and tells the person how it went. */
  readonly act: (work: () => Promise<string | Done>) => Promise<void>;
  /** Tells the person something, in words. */
  readonly tell: (done: Done) => void;
  /** Option of a command that finds this store, when it is not the default one. */
  readonly storeOption: string | undefined;
}

/** The number of times that a session changed, and that it lost something. */
export interface SessionVersion {
  readonly any: number;
  readonly lost: number;
}

/** A finished change in words, and how to undo it; or the reason why it was not made. */
export interface Done {
  readonly text: string;
  readonly isError?: boolean;
  readonly undo?: () => Promise<string>;
}

export const PageContext = createContext<Page | undefined>(undefined);

export function usePage(): Page {
  const page = useContext(PageContext);
  if (page === undefined) throw new Error("The component is outside of a page.");
  return page;
}

/** Data of the page: the last answer, and whether a newer one is on its way. */
export interface Loaded<T> {
  readonly data: T | undefined;
  readonly error: Error | undefined;
  readonly isLoading: boolean;
}

interface Held<T> {
  readonly key: string;
  readonly data?: T;
  readonly error?: Error;
  readonly isDone: boolean;
}

/** A call under way. */
interface Flight {
  readonly key: string;
  /** The data changed meanwhile: it has to be read again. */
  isStale: boolean;
}

/**
 * Reads data when the key changes, and again when the version grows. The last answer stays until the next one is there, so that live updates
 * do not flicker; an answer to another key is not shown. One call is under way at a time: updates that come faster than answers are read
 * together.
 *
 * @param ask `undefined`: nothing to read.
 */
export function useData<T>(key: string, ask: (() => Promise<T>) | undefined, version = 0): Loaded<T> {
  const [held, setHeld] = useState<Held<T>>({ key, isDone: false });
  const flight = useRef<Flight>(undefined);
  // A layout effect: an effect would ask only after the next paint.
  useLayoutEffect(() => {
    if (ask === undefined) return;
    if (flight.current?.key === key) flight.current.isStale = true;
    else void read(key, ask);
  }, [key, version, ask === undefined]);
  useEffect(
    () => () => {
      flight.current = undefined;
    },
    [],
  );

  async function read(key: string, ask: () => Promise<T>): Promise<void> {
    const own: Flight = { key, isStale: false };
    flight.current = own;
    const answer = await ask().then(
      (data) => ({ data }),
      (error: unknown) => ({ error: error instanceof Error ? error : new Error(String(error)) }),
    );
    // Another key is wanted by now, or nothing.
    if (flight.current !== own) return;
    flight.current = undefined;
    setHeld({ key, ...answer, isDone: true });
    if (own.isStale) void read(key, ask);
  }

  if (held.key !== key) return { data: undefined, error: undefined, isLoading: ask !== undefined };
  return { data: held.data, error: held.error, isLoading: ask !== undefined && !held.isDone };
}

const LATER_MS = 200;

/** False at first, and true a moment after the first paint: for calls that would keep the server from answering those of the first screen. */
export function useLater(): boolean {
  const [isLater, setLater] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLater(true), LATER_MS);
    return () => clearTimeout(timer);
  }, []);
  return isLater;
}

/** The value, once it has not changed for a while. */
export function useSettled<T>(value: T, afterMs: number): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), afterMs);
    return () => clearTimeout(timer);
  }, [value, afterMs]);
  return settled;
}
