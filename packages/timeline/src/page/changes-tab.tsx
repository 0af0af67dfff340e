import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { Change, Changes } from "../data/changes.ts";
import type { Timeline, TimelineRow } from "../data/timeline.ts";
import { number, plural, signed, titleOf, when } from "./format.ts";
import { LAYER_NAMES, LayerBar, LayerTag, WHY_SUMS_DIFFER } from "./layers.tsx";
import { Await, Empty } from "./parts.tsx";
import { go, rememberBase, type Route } from "./route.ts";
import { SafeText } from "./safe-text.tsx";
import { useData, usePage } from "./use-data.ts";
import { NEIGHBOURS } from "./use-timeline.ts";
import { ValueChange } from "./value-change.tsx";

interface ChangesTabProps {
  readonly id: string;
  readonly timeline: Timeline;
  readonly route: Route;
}

/** The changes from another checkpoint to this one. */
export function ChangesTab({ id, timeline, route }: ChangesTabProps): JSX.Element {
  const { api, host } = usePage();
  const row = timeline.rows.find((each) => each.id === id);
  const parentId = row?.parentId ?? undefined;
  const baseId = route.baseId ?? (row?.isParentGone === true ? olderThan(row, timeline)?.id : parentId);
  // The older one comes first, so that an addition is what came later.
  const isBaseNewer = (timeline.rows.find((each) => each.id === baseId)?.sequence ?? 0) > (row?.sequence ?? Infinity);
  const [fromId = "", toId = ""] = isBaseNewer ? [id, baseId] : [baseId, id];
  const pair = `${fromId} ${toId}`;
  const loaded = useData(`changes ${pair}`, baseId === undefined ? undefined : () => api.changes({ fromId, toId }));
  useEffect(() => rememberBase(id, route.baseId), [id, route.baseId]);
  const choose = (base: string): void =>
    go({ sessionId: timeline.session.id, checkpointId: id, tab: "changes", baseId: base === parentId ? undefined : base });
  const own = row === undefined ? "this one" : `#${row.sequence}`;
  return (
    <>
      {host.savedAt !== undefined ? null : (
        <p class="base">
          <span>{isBaseNewer ? `From ${own} to` : "From"}</span>{" "}
          <BaseChoice id={id} baseId={baseId} parentId={parentId} rows={timeline.rows} onChoose={choose} />{" "}
          <span>{isBaseNewer ? "" : `to ${own}`}</span>
        </p>
      )}
      {baseId === undefined ? (
        <Empty title="The session begins here.">
          <p>This checkpoint has no parent. Choose one above to compare with, or open the Context tab.</p>
        </Empty>
      ) : (
        <Await loaded={loaded}>{(changes) => <Comparison key={pair} changes={changes} pair={{ fromId, toId }} />}</Await>
      )}
    </>
  );
}

function olderThan({ sequence }: TimelineRow, { rows }: Timeline): TimelineRow | undefined {
  return rows.find((each) => each.sequence < sequence);
}

interface BaseChoiceProps {
  readonly id: string;
  readonly baseId: string | undefined;
  readonly parentId: string | undefined;
  readonly rows: readonly TimelineRow[];
  readonly onChoose: (id: string) => void;
}

function BaseChoice({ id, baseId, parentId, rows, onChoose }: BaseChoiceProps): JSX.Element {
  const at = rows.findIndex((row) => row.id === id);
  const near = rows.filter(
    (row, index) => row.id !== id && (Math.abs(index - at) <= NEIGHBOURS || row.id === baseId || row.id === parentId),
  );
  const isKnown = near.some((row) => row.id === baseId);
  return (
    <select aria-label="Compare with" value={baseId ?? ""} onChange={(event) => onChoose(event.currentTarget.value)}>
      {baseId === undefined ? <option value="">Choose a checkpoint</option> : null}
      {baseId === undefined || isKnown ? null : <option value={baseId}>{baseId}</option>}
      {near.map((row) => (
        <option key={row.id} value={row.id}>
          {`#${row.sequence} ${titleOf(row)}, ${when(row.at)}${row.id === parentId ? " (the previous one)" : ""}`}
        </option>
      ))}
    </select>
  );
}

interface Pair {
  readonly fromId: string;
  readonly toId: string;
}

/** Changes shown open at first; the others open on demand. */
const OPEN = 12;

function Comparison({ changes, pair }: { readonly changes: Changes; readonly pair: Pair }): JSX.Element {
  const { entries, unchanged, isReordered } = changes;
  if (entries.length === 0) {
    return (
      <Empty title={isReordered ? "Only the order of the entries differs." : "Nothing changed."}>
        <p>{plural(unchanged, "entry is", "entries are")} the same.</p>
      </Empty>
    );
  }
  const sorted = byLayer(entries);
  return (
    <>
      <p class="summary">{summaryOf(changes)}</p>
      {sorted.length > 1 ? <KeyLinks entries={sorted} /> : null}
      <LayerShifts changes={changes} />
      <div class="changes">
        {sorted.map((entry, index) => (
          <ChangedEntry key={entry.key} entry={entry} pair={pair} isOpen={index < OPEN} />
        ))}
      </div>
      <p class="faint">
        {plural(unchanged, "entry is", "entries are")} unchanged.{isReordered ? " The order of the entries differs." : ""}
      </p>
    </>
  );
}

/** Most important layer first: a log comes last. */
function byLayer(entries: readonly Change[]): readonly Change[] {
  const rank = ({ from, to }: Change): number => LAYER_NAMES.indexOf((to ?? from)?.layer ?? "EPHEMERAL");
  return entries.toSorted((left, right) => rank(left) - rank(right));
}

const MOST_LINKS = 40;

/** The changed keys in a line, each leading to its change. */
function KeyLinks({ entries }: { readonly entries: readonly Change[] }): JSX.Element {
  const show = (place: number): void => {
    const change = document.querySelectorAll<HTMLDetailsElement>("details.change")[place];
    if (change === undefined) return;
    change.open = true;
    change.scrollIntoView();
    change.querySelector("summary")?.focus();
  };
  return (
    <ul class="key-links" aria-label="Changed entries">
      {entries.slice(0, MOST_LINKS).map(({ key, change }, place) => (
        <li key={key}>
          <button type="button" class="plain" onClick={() => show(place)}>
            <span aria-hidden="true">{SIGNS[change]} </span>
            <SafeText text={key} />
          </button>
        </li>
      ))}
      {entries.length > MOST_LINKS ? <li class="faint">and {number(entries.length - MOST_LINKS)} more</li> : null}
    </ul>
  );
}

const WORDS: readonly (readonly [Change["change"], string])[] = [
  ["added", "added"],
  ["changed", "changed"],
  ["removed", "removed"],
  ["renamed", "renamed"],
  ["moved", "moved to another layer"],
];

function summaryOf({ entries, from, to }: Changes): string {
  const counts = WORDS.map(([change, words]) => [entries.filter((entry) => entry.change === change).length, words] as const);
  const said = counts.filter(([count]) => count > 0).map(([count, words]) => `${number(count)} ${words}`);
  return `${said.join(", ")} · ${number(from.tokens)} → ${number(to.tokens)} tokens (${signed(to.tokens - from.tokens)})`;
}

/** Tokens by layer on both sides, on one scale. */
function LayerShifts({ changes: { from, to, layers } }: { readonly changes: Changes }): JSX.Element {
  const most = Math.max(from.tokens, to.tokens);
  const side = (which: "from" | "to") => Object.fromEntries(Object.entries(layers).map(([layer, shift]) => [layer, shift[which]]));
  return (
    <div class="shifts">
      <div class="shift-bars">
        <span class="faint">#{from.sequence}</span>
        <LayerBar layers={side("from")} most={most} />
        <span class="faint">#{to.sequence}</span>
        <LayerBar layers={side("to")} most={most} />
      </div>
      <table>
        <thead>
          <tr>
            <th scope="col">Layer</th>
            <th scope="col">Entries</th>
            <th scope="col">Tokens</th>
            <th scope="col">Change</th>
          </tr>
        </thead>
        <tbody>
          {LAYER_NAMES.map((layer) => {
            const shift = layers[layer];
            if (shift === undefined) return null;
            const delta = shift.to.tokens - shift.from.tokens;
            return (
              <tr key={layer}>
                <th scope="row">
                  <LayerTag layer={layer} />
                </th>
                <td>{movement(shift.from.entries, shift.to.entries)}</td>
                <td>{movement(shift.from.tokens, shift.to.tokens)}</td>
                <td class={delta === 0 ? "faint" : undefined}>{signed(delta)}</td>
              </tr>
            );
          })}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row">Whole state</th>
            <td />
            <td>{movement(from.tokens, to.tokens)}</td>
            <td>{signed(to.tokens - from.tokens)}</td>
          </tr>
        </tfoot>
      </table>
      <p class="faint">{WHY_SUMS_DIFFER}</p>
    </div>
  );
}

/** A number on both sides. */
function movement(from: number, to: number): string {
  return from === to ? number(to) : `${number(from)} → ${number(to)}`;
}

const SIGNS: Readonly<Record<Change["change"], string>> = { added: "+", removed: "−", changed: "~", renamed: "→", moved: "⇅" };

function ChangedEntry({ entry, pair, isOpen }: { readonly entry: Change; readonly pair: Pair; readonly isOpen: boolean }): JSX.Element {
  const [open, setOpen] = useState(isOpen);
  const { key, formerKey, change, from, to } = entry;
  const delta = (to?.tokens ?? 0) - (from?.tokens ?? 0);
  return (
    <details class={`change ${change}`} open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <span class="sign" aria-hidden="true">
          {SIGNS[change]}
        </span>
        <strong>
          {formerKey === undefined ? null : (
            <>
              <del>
                <SafeText text={formerKey} />
              </del>{" "}
              →{" "}
            </>
          )}
          <SafeText text={key} />
        </strong>
        <span class="kind">{change}</span>
        <LayerMove entry={entry} />
        <span class="delta">
          {signed(delta)} {Math.abs(delta) === 1 ? "token" : "tokens"}
        </span>
      </summary>
      {open ? <ChangeBody entry={entry} pair={pair} /> : null}
    </details>
  );
}

function LayerMove({ entry: { from, to } }: { readonly entry: Change }): JSX.Element | null {
  const now = to ?? from;
  if (now === undefined) return null;
  if (from === undefined || to === undefined || from.layer === to.layer) return <LayerTag layer={now.layer} />;
  return (
    <span class="layer-move">
      <LayerTag layer={from.layer} /> → <LayerTag layer={to.layer} />
    </span>
  );
}

/** The values, which a long answer omits until they are requested. */
function ChangeBody({ entry, pair }: { readonly entry: Change; readonly pair: Pair }): JSX.Element {
  const { api } = usePage();
  const { key, isLeft } = entry;
  const asked = useData(`change ${pair.fromId} ${pair.toId} ${key}`, isLeft === true ? () => api.change({ ...pair, key }) : undefined);
  if (entry.change === "moved") return <p class="faint">The value is the same.</p>;
  if (entry.change === "renamed") return <p class="faint">The value is the same; its key changed.</p>;
  if (isLeft !== true) return <ValueChange change={entry} />;
  return (
    <Await loaded={asked}>{(whole) => (whole === null ? <p>It no longer exists.</p> : <ValueChange change={whole ?? entry} />)}</Await>
  );
}
