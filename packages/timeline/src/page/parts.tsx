import type { ComponentChildren, JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { ago, time, when } from "./format.ts";
import { CallError } from "./host.ts";
import type { Loaded } from "./use-data.ts";

const MINUTE_MS = 60_000;

/** A time as its age, with the whole date on demand. */
export function Ago({ at }: { readonly at: string }): JSX.Element {
  useMinutes();
  return (
    <time dateTime={at} title={time(at)}>
      {ago(at)}
    </time>
  );
}

/** A time as day and clock, with the age on demand. */
export function When({ at }: { readonly at: string }): JSX.Element {
  useMinutes();
  return (
    <time dateTime={at} title={ago(at)}>
      {when(at)}
    </time>
  );
}

/** Renders again each minute: ages and days pass. */
function useMinutes(): void {
  const [, tick] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => tick((count) => count + 1), MINUTE_MS);
    return () => clearInterval(timer);
  }, []);
}

/** A failed call in words. */
export function Failure({ error }: { readonly error: Error }): JSX.Element {
  const { code, hint } = error instanceof CallError ? error : { code: undefined, hint: undefined };
  return (
    <div class="failure" role="alert">
      <strong>{error.message}</strong>
      {hint === undefined ? null : <p>{hint}</p>}
      {code === undefined ? null : <code>{code}</code>}
    </div>
  );
}

/** Shows data when it is there, and until then why it is not. */
export function Await<T>({
  loaded,
  children,
}: {
  readonly loaded: Loaded<T>;
  readonly children: (data: T) => ComponentChildren;
}): JSX.Element {
  const { data, error } = loaded;
  if (data !== undefined) return <>{children(data)}</>;
  if (error !== undefined) return <Failure error={error} />;
  return (
    <p class="loading" role="status">
      Loading…
    </p>
  );
}

/** A screen without content says what to do. */
export function Empty({ title, children }: { readonly title: string; readonly children?: ComponentChildren }): JSX.Element {
  return (
    <div class="empty">
      <strong>{title}</strong>
      {children}
    </div>
  );
}

/** Copies a text, and says so. In a sandbox without a clipboard it shows the text to be copied by hand. */
export function CopyButton({
  text,
  label,
  said = "Copied",
}: {
  readonly text: string;
  readonly label: string;
  readonly said?: string;
}): JSX.Element {
  const [state, setState] = useState<"idle" | "copied" | "refused">("idle");
  useEffect(() => {
    if (state !== "copied") return undefined;
    const timer = setTimeout(() => setState("idle"), 2_000);
    return () => clearTimeout(timer);
  }, [state]);
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
      setState("copied");
    } catch {
      setState("refused");
    }
  };
  if (state === "refused")
    return (
      <input
        class="by-hand"
        readOnly
        value={text}
        aria-label={`${label}: copy by hand`}
        onFocus={(event) => event.currentTarget.select()}
      />
    );
  return (
    <button type="button" onClick={() => void copy()}>
      <span aria-live="polite">{state === "copied" ? said : label}</span>
    </button>
  );
}
