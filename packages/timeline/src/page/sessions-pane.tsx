import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { Place } from "../data/locate.ts";
import type { Found } from "../data/search.ts";
import type { SessionList, SessionRow } from "../data/sessions.ts";
import { bytes, lastPart, number, plural, titleOf } from "./format.ts";
import { Ago, Await, Empty } from "./parts.tsx";
import { hrefOf, type Route } from "./route.ts";
import { SafeText, WithWords } from "./safe-text.tsx";
import { tagsOf } from "./session-actions.tsx";
import { type Loaded, useData, useLater, usePage, useSettled } from "./use-data.ts";

export interface SessionsPaneProps {
  readonly route: Route;
  readonly sessions: Loaded<SessionList>;
}

const AFTER_TYPING_MS = 250;

/** The list of sessions, and the search over everything. */
export function SessionsPane({ route, sessions }: SessionsPaneProps): JSX.Element {
  const [typed, setTyped] = useState("");
  const query = useSettled(typed.trim(), AFTER_TYPING_MS);
  const isSaved = usePage().host.savedAt !== undefined;
  return (
    <nav class="pane sessions" aria-label="Sessions">
      {isSaved ? null : (
        <search>
          <input
            type="search"
            placeholder="Search everything"
            aria-label="Search everything"
            value={typed}
            onInput={(event) => setTyped(event.currentTarget.value)}
          />
        </search>
      )}
      {query === "" ? <Await loaded={sessions}>{(list) => <Sessions list={list} route={route} />}</Await> : <Hits query={query} />}
      {isSaved ? null : <StoreLinks route={route} />}
    </nav>
  );
}

function Sessions({ list, route }: { readonly list: SessionList; readonly route: Route }): JSX.Element {
  if (list.total === 0) {
    return (
      <Empty title="Nothing is saved yet.">
        <p>
          An agent saves with the tool <code>workflow_checkpoint_save</code>, a person with <code>workrail save</code>.
        </p>
      </Empty>
    );
  }
  const { project } = list;
  const here = list.sessions.filter((session) => session.project === project);
  const others = list.sessions.filter((session) => session.project !== project);
  return (
    <div class="scroll">
      {here.length === 0 ? null : (
        <Group title={project === undefined ? "No project" : `Project ${lastPart(project)}`} sessions={here} route={route} />
      )}
      {others.length === 0 ? null : (
        <Group title={here.length === 0 ? "Sessions" : "Other projects"} sessions={others} route={route} showsProject />
      )}
      {list.total > list.sessions.length ? (
        <p class="more">{number(list.total - list.sessions.length)} older ones: search for them.</p>
      ) : null}
    </div>
  );
}

interface GroupProps {
  readonly title: string;
  readonly sessions: readonly SessionRow[];
  readonly route: Route;
  readonly showsProject?: boolean;
}

function Group({ title, sessions, route, showsProject = false }: GroupProps): JSX.Element {
  // In a saved page the copy of the session was used last when the page was written.
  const isSaved = usePage().host.savedAt !== undefined;
  return (
    <section>
      <div class="line group">
        <h2>
          <SafeText text={title} />
        </h2>
        <span class="faint">{isSaved ? "last saved" : "last used"}</span>
      </div>
      <ul class="rows">
        {sessions.map((session) => (
          <li key={session.id}>
            <a href={hrefOf({ sessionId: session.id })} aria-current={session.id === route.sessionId ? "page" : undefined}>
              <span class="line">
                <strong>
                  <SafeText text={session.name ?? session.id} />
                </strong>
                <Ago at={isSaved ? (session.head?.at ?? session.lastUsedAt) : session.lastUsedAt} />
              </span>
              {session.head?.name === undefined ? null : (
                <span class="line">
                  <SafeText text={session.head.name} />
                </span>
              )}
              <span class="line faint">
                <span>
                  {showsProject && session.project !== undefined ? <SafeText text={`${lastPart(session.project)} · `} /> : null}
                  {plural(session.checkpoints, "checkpoint")} · {bytes(session.bytes)}
                </span>
                {session.head?.agent === undefined ? null : <SafeText text={session.head.agent} />}
              </span>
              {session.tags.length === 0 && session.damaged === undefined ? null : (
                <span class="tags">
                  {session.isKept ? <span class="tag">protected</span> : null}
                  {tagsOf(session).map((tag) => (
                    <span key={tag} class="tag">
                      <SafeText text={tag} />
                    </span>
                  ))}
                  {session.damaged === undefined ? null : <span class="tag bad">{session.damaged} damaged</span>}
                </span>
              )}
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Hits({ query }: { readonly query: string }): JSX.Element {
  const { api, version } = usePage();
  const found = useData(`search ${query}`, () => api.search({ query }), version);
  const words = query.replaceAll('"', " ").split(/\s+/u);
  const isOneWord = words.filter((word) => word !== "").length === 1;
  return (
    <Await loaded={found}>
      {({ hits, isLoose }) =>
        hits.length === 0 ? (
          <Empty title="Nothing was found.">
            <p>{isOneWord ? "No text has this word or a similar one." : "No text has any of these words."} Try other words.</p>
          </Empty>
        ) : (
          <div class="scroll" role="region" aria-label="Results">
            <h2>{isLoose ? "Similar, no exact match" : plural(hits.length, "result")}</h2>
            <p class="more">Each text is listed at the checkpoint that added or changed it.</p>
            <ul class="rows">
              {hits.map((hit) => (
                <li key={hit.checkpoint.id}>
                  <Hit hit={hit} words={words} />
                </li>
              ))}
            </ul>
          </div>
        )
      }
    </Await>
  );
}

interface HitProps {
  readonly hit: Found["hits"][number];
  /** Words of the query. */
  readonly words: readonly string[];
}

/** A result: its checkpoint, and the place that it leads to. */
function Hit({ hit: { checkpoint, sessionId, sessionName, snippet, place }, words }: HitProps): JSX.Element {
  const sought = place === undefined ? undefined : { words: place.words, key: place.key, at: place.at };
  const tab = place?.in === "conversation" ? "conversation" : "context";
  const shown = [...words, ...(place?.words ?? [])];
  return (
    <a href={hrefOf({ sessionId, checkpointId: checkpoint.id, tab, sought })}>
      <span class="line">
        <strong>
          <span class="seq">#{checkpoint.sequence}</span> <WithWords text={titleOf(checkpoint)} words={shown} />
        </strong>
        <Ago at={checkpoint.at} />
      </span>
      {place === undefined ? null : <Where place={place} words={shown} />}
      {snippet === undefined ? null : (
        <span class="snippet">
          <WithWords text={snippet} words={shown} />
        </span>
      )}
      <span class="line faint">
        <SafeText text={sessionName ?? sessionId} />
      </span>
    </a>
  );
}

const PLACES = { conversation: "in the conversation", name: "in the name", tags: "in the tags" } as const;

function Where({ place, words }: { readonly place: Place; readonly words: readonly string[] }): JSX.Element {
  if (place.in !== "entry" && place.in !== "metadata") return <span class="where">{PLACES[place.in]}</span>;
  return (
    <span class="where">
      {place.in === "entry" ? "in " : "in the metadata "}
      <strong>
        <WithWords text={place.key ?? ""} words={words} />
      </strong>
    </span>
  );
}

/** The use of the store, and the links to the screens of the whole store. */
function StoreLinks({ route }: { readonly route: Route }): JSX.Element {
  const { api, version } = usePage();
  const { data } = useData("usage", useLater() ? () => api.usage({}) : undefined, version);
  return (
    <ul class="store">
      <li>
        <a href="#/storage" aria-current={route.screen === "storage" ? "page" : undefined}>
          <span class="line">
            Storage and trash
            {data === undefined ? null : <span class="faint">{bytes(data.usedBytes)}</span>}
          </span>
          {data === undefined ? null : (
            <span class="meter" role="img" aria-label={`${Math.round((100 * data.usedBytes) / data.limitBytes)}% of the quota is used`}>
              <span style={{ width: `${Math.max(1, (100 * data.usedBytes) / data.limitBytes)}%` }} />
            </span>
          )}
        </a>
      </li>
      <li>
        <a href="#/activity" aria-current={route.screen === "activity" ? "page" : undefined}>
          Activity
        </a>
      </li>
    </ul>
  );
}
