import type { Drift } from "@workrail/runtime";
import type { JSX } from "preact";
import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { ContextSize, Timeline, TimelineRow } from "../data/timeline.ts";
import { bytes, plural, short, titleOf } from "./format.ts";
import { graphLanes, type GraphRow } from "./graph-lanes.ts";
import { LayerBar, LayerLegend } from "./layers.tsx";
import { Await, Empty, When } from "./parts.tsx";
import { baseOf, go, hrefOf, type Route } from "./route.ts";
import { marked, SafeText } from "./safe-text.tsx";
import { SessionActions } from "./session-actions.tsx";
import { useData, usePage } from "./use-data.ts";
import type { LoadedTimeline } from "./use-timeline.ts";
import { WindowList } from "./window-list.tsx";

/** The checkpoints of a session, newest first, on one scale. */
export function TimelinePane({ route, timeline }: { readonly route: Route; readonly timeline: LoadedTimeline }): JSX.Element {
  return (
    <section class="pane timeline" aria-label="Timeline">
      {route.sessionId === undefined ? (
        <Empty title="Choose a session.">
          <p>Its checkpoints appear here, newest first.</p>
        </Empty>
      ) : (
        <Await loaded={timeline}>
          {(found) => <Rows timeline={found} route={route} isWhole={timeline.isWhole} readAll={timeline.readAll} />}
        </Await>
      )}
    </section>
  );
}

const ROW_HEIGHT = 64;

interface RowsProps extends Pick<LoadedTimeline, "isWhole" | "readAll"> {
  readonly timeline: Timeline;
  readonly route: Route;
}

function Rows({ timeline, route, isWhole, readAll }: RowsProps): JSX.Element {
  const { session, rows, headId, total } = timeline;
  const { mayWrite } = usePage();
  // A saved page holds only some of its session.
  const count = isWhole ? rows.length : total;
  const lanes = useMemo(() => graphLanes(rows), [rows]);
  // All rows give the graph the same width, so that the bars stand on one scale.
  const width = useMemo(() => lanes.reduce((most, row) => Math.max(most, row.width), 1), [lanes]);
  const { sizes, onShown } = useSizes(session.id);
  const most = Math.max(1, ...Array.from(sizes.values(), ({ tokens = 0 }) => tokens));
  const current = route.checkpointId ?? headId;
  const selected = rows.findIndex(({ id }) => id === current);
  const box = useRef<HTMLDivElement>(null);
  // The row that a key leads to takes the focus once it is the current one.
  const wanted = useRef<string>(undefined);
  useEffect(() => {
    if (wanted.current === undefined || wanted.current !== current) return;
    wanted.current = undefined;
    box.current?.querySelector<HTMLElement>("a[aria-current]")?.focus();
  });
  // A key may lead to a row that was not read yet.
  const awaited = useRef<number>(undefined);
  const goTo = (place: number): void => {
    const row = rows[place];
    awaited.current = row === undefined ? place : undefined;
    if (row === undefined) return readAll();
    wanted.current = row.id;
    go({ sessionId: session.id, checkpointId: row.id, tab: route.tab, baseId: baseOf(row.id) });
  };
  useEffect(() => {
    if (awaited.current !== undefined && awaited.current < rows.length) goTo(awaited.current);
  }, [rows]);
  const onKeyDown = (event: KeyboardEvent): void => {
    const target = targetOf(event.key, selected, count);
    if (target === undefined) return;
    event.preventDefault();
    goTo(target);
  };
  return (
    <>
      <div class="pane-head">
        <a class="back" href="#/">
          Sessions
        </a>
        <h2>
          <SafeText text={session.name ?? session.id} />
        </h2>
        <p class="faint line">
          <span>
            {plural(total, "checkpoint")} · {bytes(session.bytes)}
            {session.isKept && !mayWrite ? " · protected from clean-up" : ""}
          </span>
          <a href={hrefOf({ screen: "growth", sessionId: session.id })}>Growth</a>
        </p>
        <SessionActions session={session} />
        <DriftSince head={rows.find(({ id }) => id === headId)} />
        <LayerLegend />
      </div>
      <div class="fill" ref={box}>
        <WindowList
          items={rows}
          count={count}
          onMissing={readAll}
          rowHeight={ROW_HEIGHT}
          label={`Checkpoints of ${session.id}, newest first`}
          keyOf={({ id }) => id}
          selected={selected}
          onShown={onShown}
          onKeyDown={onKeyDown}
        >
          {(row, index) => (
            <Row
              row={row}
              missing={missingBefore(row, rows[index + 1], isWhole)}
              graph={lanes[index]}
              lanes={width}
              size={sizes.get(row.id)}
              before={row.parentId === null ? undefined : sizes.get(row.parentId)}
              most={most}
              isHead={row.id === headId}
              isCurrent={index === selected}
              href={hrefOf({ sessionId: session.id, checkpointId: row.id, tab: route.tab, baseId: baseOf(row.id) })}
            />
          )}
        </WindowList>
      </div>
    </>
  );
}

/** The changes in the repository since the latest checkpoint. Git answers late: the room is reserved, so that the rows below stay. */
function DriftSince({ head }: { readonly head: TimelineRow | undefined }): JSX.Element | null {
  const { api } = usePage();
  const isAsked = head?.isInRepository === true;
  const { data, error } = useData(`drift ${head?.id}`, isAsked ? () => api.drift({ checkpointId: head.id }) : undefined);
  if (!isAsked) return null;
  const says = data === undefined || data === null ? "" : isStill(data) ? "nothing changed in the repository." : data.says;
  return (
    <p class="note drift" title={says === "" ? undefined : says}>
      <span>Since the latest checkpoint: {error === undefined ? marked(says === "" ? "…" : says) : error.message}</span>
    </p>
  );
}

function isStill({ relation, files }: Drift): boolean {
  return (
    relation === "same" &&
    (files?.changedCount ?? 0) + (files?.renamedCount ?? 0) + (files?.deletedCount ?? 0) === 0 &&
    files?.changed === undefined
  );
}

function targetOf(key: string, selected: number, count: number): number | undefined {
  switch (key) {
    case "ArrowDown":
      return Math.min(count - 1, selected + 1);
    case "ArrowUp":
      return Math.max(0, selected - 1);
    case "Home":
      return 0;
    case "End":
      return count - 1;
    default:
      return undefined;
  }
}

/** Names the checkpoints that are missing between a row and the older one below it. */
function missingBefore(row: TimelineRow, older: TimelineRow | undefined, isWhole: boolean): string | undefined {
  if (row.isParentGone !== true) return undefined;
  const first = older === undefined && !isWhole ? row.sequence : (older?.sequence ?? 0) + 1;
  const last = row.sequence - 1;
  if (first > last) return "previous deleted";
  return first === last ? `#${first} deleted` : `#${first} to #${last} missing`;
}

interface RowProps {
  readonly row: TimelineRow;
  /** Checkpoints before it that are gone, in words. */
  readonly missing: string | undefined;
  readonly graph: GraphRow | undefined;
  readonly lanes: number;
  readonly size: ContextSize | undefined;
  /** Size of its parent. */
  readonly before: ContextSize | undefined;
  readonly most: number;
  readonly isHead: boolean;
  readonly isCurrent: boolean;
  readonly href: string;
}

function Row({ row, missing, graph, lanes, size, before, most, isHead, isCurrent, href }: RowProps): JSX.Element {
  return (
    <a class="checkpoint" href={href} tabIndex={isCurrent ? 0 : -1} aria-current={isCurrent ? "true" : undefined}>
      {graph === undefined ? null : <Lanes graph={graph} count={lanes} isHead={isHead} />}
      <span class="what">
        <span class="line">
          <strong>
            <span class="seq">#{row.sequence}</span> <SafeText text={titleOf(row)} />
          </strong>
          <When at={row.at} />
        </span>
        <span class="line size">
          {size === undefined ? <span class="layer-bar" /> : <LayerBar layers={size.layers} most={most} />}
          <span class="tokens">
            {size?.tokens === undefined ? "" : `${short(size.tokens)} tokens`}
            <Growth from={before?.tokens} to={size?.tokens} />
          </span>
        </span>
        <span class="line faint">
          <span class="marks">
            {isHead ? <span class="tag head">latest</span> : null}
            {row.kind === "workflow" ? null : <span class="tag">{row.kind}</span>}
            {row.isDamaged === true ? <span class="tag bad">damaged</span> : null}
            {missing === undefined ? null : (
              <span
                class="tag"
                title="The checkpoint before this one is in the trash or was removed for good. workrail audit shows when and why."
              >
                {missing}
              </span>
            )}
            {row.tags?.map((tag) => (
              <span key={tag} class="tag">
                <SafeText text={tag} />
              </span>
            ))}
            {row.branch === undefined ? null : <SafeText text={`⎇ ${row.branch}`} />}
          </span>
          {row.agent === undefined ? null : <SafeText text={row.agent} />}
        </span>
      </span>
    </a>
  );
}

/** Tokens gained or lost since the parent: beside one large entry, no bar shows them. */
function Growth({ from, to }: { readonly from: number | undefined; readonly to: number | undefined }): JSX.Element | null {
  if (from === undefined || to === undefined || from === to) return null;
  return (
    <span title="Tokens gained or lost since the previous checkpoint"> {`${to > from ? "+" : "−"}${short(Math.abs(to - from))}`}</span>
  );
}

const LANE = 14;
const MOST_LANES = 8;

/** The lines of the graph beside one row. */
function Lanes({ graph, count, isHead }: { readonly graph: GraphRow; readonly count: number; readonly isHead: boolean }): JSX.Element {
  const x = (lane: number): number => LANE / 2 + Math.min(lane, MOST_LANES - 1) * LANE;
  const middle = ROW_HEIGHT / 2;
  return (
    <svg class="lanes" width={Math.min(count, MOST_LANES) * LANE} height={ROW_HEIGHT} aria-hidden="true">
      {graph.lines.map(({ from, to, lane }) => (
        <g key={`${from}-${to}-${lane}`} class={`lane-${(from ?? to ?? 0) % 4}`}>
          {from === undefined ? null : <path d={curve({ x: x(from), y: 0 }, { x: x(lane), y: middle })} />}
          {to === undefined ? null : <path d={curve({ x: x(lane), y: middle }, { x: x(to), y: ROW_HEIGHT })} />}
        </g>
      ))}
      <circle class={isHead ? "node head" : "node"} cx={x(graph.lane)} cy={middle} r={isHead ? 5 : 4} />
    </svg>
  );
}

interface Point {
  readonly x: number;
  readonly y: number;
}

function curve(from: Point, to: Point): string {
  if (from.x === to.x) return `M${from.x} ${from.y}V${to.y}`;
  const bend = (from.y + to.y) / 2;
  return `M${from.x} ${from.y}C${from.x} ${bend} ${to.x} ${bend} ${to.x} ${to.y}`;
}

/** Checkpoints asked for at a time. */
const BATCH = 20;
const AFTER_SCROLLING_MS = 60;

/** Counts the tokens of the rows in view, a few at a time. Counts stay until a pin changes them. */
function useSizes(sessionId: string): {
  readonly sizes: ReadonlyMap<string, ContextSize>;
  readonly onShown: (rows: readonly TimelineRow[]) => void;
} {
  const { api, tell, versionOf } = usePage();
  // A pin moves entries to another layer.
  const { lost } = versionOf(sessionId);
  const [sizes, setSizes] = useState<ReadonlyMap<string, ContextSize>>(new Map());
  const asked = useRef(new Set<string>());
  const shown = useRef<readonly TimelineRow[]>([]);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const onShown = useCallback(
    (rows: readonly TimelineRow[]) => {
      shown.current = rows;
      const count = async (): Promise<void> => {
        const ids = rows.map(({ id }) => id).filter((id) => !asked.current.has(id));
        for (let index = 0; index < ids.length; index += BATCH) {
          const batch = ids.slice(index, index + BATCH);
          for (const id of batch) asked.current.add(id);
          const counted = await api.sizes({ ids: batch });
          setSizes((old) => new Map([...old, ...counted.map((size) => [size.id, size] as const)]));
        }
      };
      clearTimeout(timer.current);
      // Without sizes the rows stand without bars.
      timer.current = setTimeout(
        () => void count().catch((error: Error) => tell({ text: error.message, isError: true })),
        AFTER_SCROLLING_MS,
      );
    },
    [api, tell],
  );
  useEffect(() => {
    if (lost === 0) return;
    asked.current.clear();
    onShown(shown.current);
  }, [lost, onShown]);
  useEffect(() => () => clearTimeout(timer.current), []);
  return { sizes, onShown };
}
