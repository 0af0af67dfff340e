import type { ComponentChildren, JSX } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

export interface WindowListProps<T> {
  /** The first items; those behind them were not read yet. */
  readonly items: readonly T[];
  /** Number of all items. */
  readonly count: number;
  /** Called when rows come into view that were not read. */
  readonly onMissing: () => void;
  readonly rowHeight: number;
  readonly label: string;
  readonly keyOf: (item: T) => string;
  /** Item to bring into view. */
  readonly selected: number;
  readonly onShown: (items: readonly T[]) => void;
  readonly onKeyDown: (event: KeyboardEvent) => void;
  readonly children: (item: T, index: number) => ComponentChildren;
}

/** Rows beyond the visible edges. */
const SPARE = 8;

/** A list of rows of one height that holds only the rows in view, so that ten thousand cost no more than fifty. */
export function WindowList<T>(props: WindowListProps<T>): JSX.Element {
  const { items, count, onMissing, rowHeight, label, keyOf, selected, onShown, onKeyDown, children } = props;
  const box = useRef<HTMLDivElement>(null);
  // No row before the height is known: the first paint holds the rows in view, and no others.
  const [view, setView] = useState({ top: 0, height: 0 });
  const [spare, setSpare] = useState(0);
  const read = (): void => {
    const { scrollTop = 0, clientHeight = 0 } = box.current ?? {};
    setView((old) => (old.top === scrollTop && old.height === clientHeight ? old : { top: scrollTop, height: clientHeight }));
  };
  useLayoutEffect(() => {
    read();
    const observer = new ResizeObserver(read);
    if (box.current !== null) observer.observe(box.current);
    return () => observer.disconnect();
  }, []);
  useLayoutEffect(() => {
    const { current } = box;
    if (current === null || selected < 0) return;
    const top = selected * rowHeight;
    if (top < current.scrollTop) current.scrollTop = top;
    else if (top + rowHeight > current.scrollTop + current.clientHeight) current.scrollTop = top + rowHeight - current.clientHeight;
    read();
  }, [selected, rowHeight]);
  useEffect(() => setSpare(SPARE), []);
  const first = Math.max(0, Math.floor(view.top / rowHeight) - spare);
  const end = Math.min(count, Math.ceil((view.top + view.height) / rowHeight) + spare);
  const shown = items.slice(first, end);
  useEffect(() => onShown(shown), [first, end, items]);
  const isMissing = end > items.length;
  useEffect(() => {
    if (isMissing) onMissing();
  }, [isMissing, onMissing]);
  return (
    <div class="window-list" ref={box} onScroll={read}>
      <ol aria-label={label} style={{ height: `${count * rowHeight}px` }} onKeyDown={onKeyDown}>
        {shown.map((item, index) => (
          <li
            key={keyOf(item)}
            aria-setsize={count}
            aria-posinset={first + index + 1}
            style={{ top: `${(first + index) * rowHeight}px`, height: `${rowHeight}px` }}
          >
            {children(item, first + index)}
          </li>
        ))}
        {isMissing ? (
          <li class="loading" style={{ top: `${Math.max(first, items.length) * rowHeight}px`, height: `${rowHeight}px` }}>
            Loading…
          </li>
        ) : null}
      </ol>
    </div>
  );
}
