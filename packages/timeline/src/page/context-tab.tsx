import type { JSX } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { ContextEntry, ContextList } from "../data/context.ts";
import { number, plural } from "./format.ts";
import { layerReason } from "./layer-reason.ts";
import { LAYER_NAMES, LayerTag, WHY_SUMS_DIFFER } from "./layers.tsx";
import { Markdown } from "./markdown.tsx";
import { PagedText } from "./paged-text.tsx";
import { Await, Empty } from "./parts.tsx";
import type { SearchTarget } from "./route.ts";
import { SafeText, WithWords, withWords } from "./safe-text.tsx";
import { DEFAULT_TOKENS } from "../data/resume-defaults.ts";
import { focusOn, showSought } from "./show-search-target.ts";
import { useData, usePage } from "./use-data.ts";

export interface ContextTabProps {
  readonly id: string;
  readonly sessionId: string;
  /** The latest checkpoint: only its entries can be pinned. */
  readonly headId: string | undefined;
  readonly sought: SearchTarget | undefined;
}

/** The entries of a checkpoint, by layer. */
export function ContextTab({ id, sessionId, headId, sought }: ContextTabProps): JSX.Element {
  const { api, mayWrite, versionOf } = usePage();
  const { any } = versionOf(sessionId);
  const loaded = useData(`context ${id}`, () => api.context({ checkpointId: id }), any);
  const asksHead = mayWrite && headId !== undefined && headId !== id;
  const head = useData(`context ${headId}`, asksHead ? () => api.context({ checkpointId: headId }) : undefined, any);
  const pinnable = useMemo(() => (head.data === undefined ? undefined : new Set(head.data.entries.map(({ key }) => key))), [head.data]);
  return (
    <Await loaded={loaded}>{(list) => <Layers list={list} id={id} sessionId={sessionId} pinnable={pinnable} sought={sought} />}</Await>
  );
}

interface OfContext extends Omit<ContextTabProps, "headId"> {
  /** Keys of the latest state; `undefined`: those of this one, or not known yet. */
  readonly pinnable: ReadonlySet<string> | undefined;
}

/** The entry that was pinned or unpinned last: a pin moves it to another layer. */
interface MovedByPin {
  readonly moved: string | undefined;
  readonly onPin: (key: string | undefined) => void;
}

/** Entries of a layer shown at first. */
const FIRST_ENTRIES = 100;

function Layers({ list, id, sessionId, pinnable, sought }: OfContext & { readonly list: ContextList }): JSX.Element {
  const [filter, setFilter] = useState("");
  const [moved, setMoved] = useState<string>();
  useEffect(() => {
    if (sought !== undefined) setFilter("");
  }, [sought]);
  const wanted = filter.trim().toLowerCase();
  const entries = wanted === "" ? list.entries : list.entries.filter(({ key, text }) => `${key} ${text}`.toLowerCase().includes(wanted));
  const most = Math.max(1, ...list.entries.map(({ tokens }) => tokens));
  if (list.entries.length === 0) return <Empty title="This checkpoint is empty." />;
  return (
    <>
      <div class="controls">
        <input
          type="search"
          placeholder="Filter entries"
          aria-label="Filter entries"
          value={filter}
          onInput={(event) => setFilter(event.currentTarget.value)}
        />
        <span class="faint">
          {plural(entries.length, "entry", "entries")} · <span title={WHY_SUMS_DIFFER}>{number(list.tokens)} tokens</span>
        </span>
      </div>
      {LAYER_NAMES.map((layer) => {
        const own = entries.filter((entry) => entry.layer === layer);
        return own.length === 0 ? null : (
          <section key={layer} class="layer">
            <h3>
              <LayerTag layer={layer} />
              <span class="faint">{number(own.reduce((sum, { tokens }) => sum + tokens, 0))} tokens</span>
            </h3>
            <Entries
              entries={own}
              most={most}
              id={id}
              sessionId={sessionId}
              pinnable={pinnable}
              sought={sought}
              moved={moved}
              onPin={setMoved}
            />
          </section>
        );
      })}
      {list.attributes.length === 0 ? null : <Attributes attributes={list.attributes} sought={sought} />}
    </>
  );
}

/** Fields that the author of the checkpoint added. */
function Attributes({ attributes, sought }: Pick<ContextList, "attributes"> & Pick<OfContext, "sought">): JSX.Element {
  const box = useRef<HTMLElement>(null);
  const wanted = attributes.find(({ name }) => name === sought?.key);
  useEffect(() => {
    if (wanted !== undefined) focusOn(box.current?.querySelector<HTMLElement>("mark.hit"));
  }, [sought]);
  return (
    <section class="layer" ref={box}>
      <h3>Metadata of the save</h3>
      <dl>
        {attributes.map((field) => {
          const words = field === wanted ? (sought?.words ?? []) : [];
          return (
            <div key={field.name}>
              <dt>
                <WithWords text={field.name} words={words} />
              </dt>
              <dd>
                <WithWords text={field.text} words={words} />
              </dd>
            </div>
          );
        })}
      </dl>
    </section>
  );
}

interface EntriesProps extends OfContext, MovedByPin {
  readonly entries: readonly ContextEntry[];
  readonly most: number;
}

function Entries({ entries, most, ...about }: EntriesProps): JSX.Element {
  const [isAll, setAll] = useState(false);
  const isFar = entries.findIndex(({ key }) => key === about.sought?.key) >= FIRST_ENTRIES;
  const shown = isAll || isFar ? entries : entries.slice(0, FIRST_ENTRIES);
  return (
    <>
      {shown.map((entry) => (
        <Entry key={entry.key} entry={entry} most={most} {...about} />
      ))}
      {shown.length < entries.length ? (
        <button type="button" onClick={() => setAll(true)}>
          Show {number(entries.length - shown.length)} more
        </button>
      ) : null}
    </>
  );
}

interface EntryProps extends OfContext, MovedByPin {
  readonly entry: ContextEntry;
  readonly most: number;
}

function Entry({ entry, most, id, sessionId, pinnable, sought, moved, onPin }: EntryProps): JSX.Element {
  const { key, layer, tokens, isPinned, text, type } = entry;
  const isMoved = moved === key;
  const own = sought?.key === key ? sought : undefined;
  const [isOpen, setOpen] = useState(isMoved || own !== undefined);
  const box = useRef<HTMLDetailsElement>(null);
  // In its new layer the entry is open and its button under the finger again.
  useEffect(() => {
    if (!isMoved) return;
    box.current?.scrollIntoView({ block: "nearest" });
    box.current?.querySelector<HTMLElement>("button[aria-pressed]")?.focus({ preventScroll: true });
  }, [isMoved, isPinned]);
  useEffect(() => {
    if (own === undefined) return;
    setOpen(true);
    // The words are in the key alone.
    if (own.at === undefined) focusOn(box.current?.querySelector("summary"));
  }, [own]);
  return (
    <details ref={box} class="change entry" open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <strong>
          <WithWords text={key} words={own?.words ?? []} />
        </strong>
        {isPinned ? <span class="tag head">pinned</span> : null}
        <span class="kind">{type}</span>
        {isOpen ? null : (
          <span class="preview">
            <SafeText text={text.slice(0, 160).replaceAll(/\s+/gu, " ")} />
          </span>
        )}
        <span class="delta">
          <span class="layer-bar" aria-hidden="true">
            <span class={layer.toLowerCase()} style={{ width: `${(100 * tokens) / most}%` }} />
          </span>
          {plural(tokens, "token")}
        </span>
      </summary>
      {isOpen ? (
        <div>
          <p class="entry-facts">
            <span class="faint">{layerReason(entry)}</span>
            <PinButton entry={entry} sessionId={sessionId} canPin={isPinned || (pinnable?.has(key) ?? true)} onPin={onPin} />
          </p>
          <EntryValue entry={entry} id={id} sought={own?.at === undefined ? undefined : own} />
        </div>
      ) : null}
    </details>
  );
}

interface PinButtonProps {
  readonly entry: ContextEntry;
  readonly sessionId: string;
  /** False when the latest state has no such entry. */
  readonly canPin: boolean;
  readonly onPin: (key: string | undefined) => void;
}

/** Pins an entry of the latest state, or removes the pin. Without permission to change the store: nothing. */
export function PinButton({ entry: { key, isPinned, tokens }, sessionId, canPin, onPin }: PinButtonProps): JSX.Element | null {
  const { api, act, mayWrite } = usePage();
  if (!mayWrite) return null;
  const pin = (): Promise<void> =>
    act(async () => {
      const { message } = await api.pin({ sessionId, key, isPinned: !isPinned });
      onPin(key);
      return { text: message, undo: async () => (await api.pin({ sessionId, key, isPinned })).message };
    });
  return (
    <>
      {canPin ? null : <span class="faint">The latest state has no such entry, so it cannot be pinned.</span>}
      {tokens > DEFAULT_TOKENS.view / 2 ? (
        <span class="faint">Pinned, it leaves little of the {number(DEFAULT_TOKENS.view)} tokens of a resume to others.</span>
      ) : null}
      <button type="button" aria-pressed={isPinned} disabled={!canPin} onClick={() => void pin()}>
        {isPinned ? "Unpin" : "Pin"}
      </button>
    </>
  );
}

interface EntryValueProps {
  readonly entry: ContextEntry;
  readonly id: string;
  readonly sought: SearchTarget | undefined;
}

/** The whole value: short ones at once, long ones in pages, texts also as Markdown. */
function EntryValue({ entry: { key, text, characters, type }, id, sought }: EntryValueProps): JSX.Element {
  const { api } = usePage();
  const [isRendered, setRendered] = useState(false);
  const isWhole = text.length >= characters;
  const words = sought?.words ?? [];
  const box = useRef<HTMLPreElement>(null);
  useEffect(() => {
    if (sought === undefined) return;
    setRendered(false);
    if (box.current !== null) showSought(box.current, { text, words, at: sought.at });
  }, [sought]);
  return (
    <>
      {type === "text" && isWhole && /[#*`-]/u.test(text) ? (
        <button type="button" class="plain" aria-pressed={isRendered} onClick={() => setRendered(!isRendered)}>
          Read as Markdown
        </button>
      ) : null}
      {isRendered ? (
        <Markdown text={text} words={words} />
      ) : isWhole ? (
        <pre ref={box} class="text" dir="auto">
          {withWords(text, words)}
        </pre>
      ) : (
        <PagedText
          name={`value ${id} ${key}`}
          sought={sought}
          ask={(offset, limit) => api.value({ checkpointId: id, key, offset, limit })}
        />
      )}
    </>
  );
}
