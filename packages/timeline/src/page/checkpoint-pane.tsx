import type { JSX } from "preact";
import type { Timeline, TimelineRow } from "../data/timeline.ts";
import { useEffect, useRef } from "preact/hooks";
import { Actions } from "./actions.tsx";
import { ActivityScreen } from "./activity-screen.tsx";
import { ChangesTab } from "./changes-tab.tsx";
import { ContextTab } from "./context-tab.tsx";
import { ConversationTab } from "./conversation-tab.tsx";
import { bytes, titleOf } from "./format.ts";
import { GrowthScreen } from "./growth-screen.tsx";
import { HandoffTab } from "./handoff-tab.tsx";
import { PagedText } from "./paged-text.tsx";
import { Await, Empty, When } from "./parts.tsx";
import { ResumeTab } from "./resume-tab.tsx";
import { hrefOf, type Route, type Tab, TABS, takeFocusRequest } from "./route.ts";
import { SafeText, WithWords } from "./safe-text.tsx";
import { focusOn } from "./show-search-target.ts";
import { StorageScreen } from "./storage-screen.tsx";
import { type Loaded, usePage } from "./use-data.ts";

export interface CheckpointPaneProps {
  readonly route: Route;
  readonly timeline: Loaded<Timeline>;
}

/** One checkpoint: its facts, its actions and its content. */
export function CheckpointPane({ route, timeline }: CheckpointPaneProps): JSX.Element {
  return (
    <section class="pane checkpoint-pane" id="checkpoint" tabIndex={-1} aria-label={nameOf(route)}>
      <Content route={route} timeline={timeline} />
    </section>
  );
}

function nameOf({ screen }: Route): string {
  return screen === undefined ? "Checkpoint" : `${screen.charAt(0).toUpperCase()}${screen.slice(1)}`;
}

function Content({ route, timeline }: CheckpointPaneProps): JSX.Element {
  if (route.screen === "storage") return <StorageScreen />;
  if (route.screen === "activity") return <ActivityScreen />;
  if (route.screen === "growth") return <GrowthScreen timeline={timeline} />;
  if (route.sessionId === undefined) return <Welcome />;
  return <Await loaded={timeline}>{(found) => <Chosen timeline={found} route={route} />}</Await>;
}

function Welcome(): JSX.Element {
  return (
    <Empty title="See what your agents saved.">
      <p>Choose a session to see its timeline, and a checkpoint to see its changes, its content, and what an agent gets when it resumes.</p>
    </Empty>
  );
}

function Chosen({ timeline, route }: { readonly timeline: Timeline; readonly route: Route }): JSX.Element {
  const id = route.checkpointId ?? timeline.headId;
  if (id === undefined) return <Empty title="This session has no checkpoint to continue from." />;
  return <Checkpoint id={id} timeline={timeline} route={route} />;
}

const TAB_NAMES: Readonly<Record<Tab, string>> = {
  changes: "Changes",
  context: "Context",
  resume: "What the agent gets",
  handoff: "Handoff",
  conversation: "Conversation",
  raw: "Raw",
};

interface CheckpointProps {
  readonly id: string;
  readonly timeline: Timeline;
  readonly route: Route;
}

function Checkpoint({ id, timeline, route }: CheckpointProps): JSX.Element {
  const row = timeline.rows.find((each) => each.id === id);
  const tab = route.tab ?? "changes";
  const sessionId = timeline.session.id;
  const title = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (takeFocusRequest()) title.current?.focus();
  }, [id]);
  const { sought } = route;
  const isInTitle = sought !== undefined && sought.key === undefined && tab !== "conversation";
  useEffect(() => {
    if (isInTitle) focusOn(title.current);
  }, [sought]);
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (step === 0) return;
    event.preventDefault();
    const next = TABS[(TABS.indexOf(tab) + step + TABS.length) % TABS.length];
    location.hash = hrefOf({ sessionId, checkpointId: id, tab: next, baseId: route.baseId });
    requestAnimationFrame(() => document.querySelector<HTMLElement>(`#tab-${next}`)?.focus());
  };
  return (
    <>
      <div class="pane-head">
        <a class="back" href={hrefOf({ sessionId, tab: route.tab })}>
          Timeline
        </a>
        <h2 ref={title} tabIndex={-1}>
          {row === undefined ? <SafeText text={id} /> : <WithWords text={titleOf(row)} words={isInTitle ? sought.words : []} />}
        </h2>
        {row === undefined ? null : <Facts row={row} />}
        <Actions key={id} id={id} row={row} session={timeline.session} head={timeline.rows.find((each) => each.id === timeline.headId)} />
      </div>
      <div class="tabs" role="tablist" aria-label="Parts of the checkpoint" onKeyDown={onKeyDown}>
        {TABS.map((each) => (
          <a
            key={each}
            id={`tab-${each}`}
            role="tab"
            href={hrefOf({ sessionId, checkpointId: id, tab: each, baseId: route.baseId })}
            aria-selected={each === tab}
            aria-controls="panel"
            tabIndex={each === tab ? 0 : -1}
          >
            {TAB_NAMES[each]}
          </a>
        ))}
      </div>
      <div class="panel" id="panel" role="tabpanel" aria-labelledby={`tab-${tab}`} tabIndex={0}>
        <TabContent tab={tab} id={id} timeline={timeline} route={route} />
      </div>
    </>
  );
}

function TabContent({ tab, id, timeline, route }: CheckpointProps & { readonly tab: Tab }): JSX.Element {
  if (tab === "changes") return <ChangesTab key={id} id={id} timeline={timeline} route={route} />;
  if (tab === "context")
    return <ContextTab key={id} id={id} sessionId={timeline.session.id} headId={timeline.headId} sought={route.sought} />;
  if (tab === "resume") return <ResumeTab key={id} id={id} sessionId={timeline.session.id} isLatest={id === timeline.headId} />;
  if (tab === "handoff") return <HandoffTab key={id} id={id} />;
  if (tab === "conversation") return <ConversationTab key={id} id={id} sought={route.sought} />;
  return <RawTab key={id} id={id} />;
}

function RawTab({ id }: { readonly id: string }): JSX.Element {
  const { api } = usePage();
  return <PagedText name={`raw ${id}`} ask={(offset, limit) => api.raw({ checkpointId: id, offset, limit })} />;
}

function Facts({ row }: { readonly row: TimelineRow }): JSX.Element {
  return (
    <p class="facts">
      <span>#{row.sequence}</span>
      <When at={row.at} />
      {row.agent === undefined ? null : <SafeText text={row.agent} />}
      {row.branch === undefined ? null : <SafeText text={`⎇ ${row.branch}`} />}
      <span>{bytes(row.bytes)} stored</span>
      <code>{row.id}</code>
    </p>
  );
}
