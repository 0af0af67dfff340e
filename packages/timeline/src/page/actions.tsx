import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { SessionRow } from "../data/sessions.ts";
import type { TimelineRow } from "../data/timeline.ts";
import { titleOf } from "./format.ts";
import { Menu } from "./menu.tsx";
import { CopyButton } from "./parts.tsx";
import { go, openAndFocus } from "./route.ts";
import { SafeText } from "./safe-text.tsx";
import { usePage } from "./use-data.ts";

/** The ways to go on from a checkpoint in each host: a message for an agent, or a line for a terminal. */
function waysToResume(id: string, storeOption: string | undefined): readonly (readonly [host: string, text: string])[] {
  const message = `Call workflow_resume with checkpointId ${id} and continue from there.`;
  return [
    ["Any agent", message],
    ["Claude Code", `claude "${message}"`],
    ["Codex", `codex "${message}"`],
    ["Gemini CLI", `gemini -i "${message}"`],
    ["opencode", `opencode --prompt "${message}"`],
    ["Cursor", `cursor-agent "${message}"`],
    ["Terminal", `workrail resume --checkpoint ${id}${storeOption === undefined ? "" : ` ${storeOption}`}`],
  ];
}

export interface ActionsProps {
  readonly id: string;
  readonly row: TimelineRow | undefined;
  readonly session: SessionRow;
  /** The latest checkpoint. */
  readonly head: TimelineRow | undefined;
}

/** The actions of a person on a checkpoint. */
export function Actions({ id, row, session, head }: ActionsProps): JSX.Element {
  const { mayWrite, host } = usePage();
  const { sendToAgent, savedAt } = host;
  const isHead = id === head?.id;
  const goesBack = !isHead && savedAt === undefined && sendToAgent === undefined;
  return (
    <div class="actions">
      {sendToAgent === undefined ? <ResumeMenu id={id} /> : <ResumeHere id={id} send={sendToAgent} />}
      {goesBack ? <GoBack id={id} session={session} row={row} head={head} /> : null}
      {mayWrite && isHead ? <Name id={id} session={session} row={row} head={head} /> : null}
      {mayWrite && !isHead ? <WhyNoName /> : null}
      <CopyButton text={id} label="Copy id" />
      {mayWrite ? <Remove id={id} row={row} session={session} head={head} /> : null}
    </div>
  );
}

function ResumeHere({ id, send }: { readonly id: string; readonly send: (text: string) => Promise<void> }): JSX.Element {
  const { tell, storeOption } = usePage();
  const resume = async (): Promise<void> => {
    try {
      await send(waysToResume(id, storeOption)[0]?.[1] ?? "");
      tell({ text: "The message was sent to the agent." });
    } catch (error) {
      tell({ text: `The host did not send the message: ${error instanceof Error ? error.message : String(error)}`, isError: true });
    }
  };
  return (
    <button type="button" class="primary" onClick={() => void resume()}>
      Resume from here
    </button>
  );
}

function ResumeMenu({ id }: { readonly id: string }): JSX.Element {
  const { storeOption } = usePage();
  return (
    <Menu label="Continue in an agent…" class="primary">
      <p>
        The agent starts from this state, with the files of your project as they are now. The session changes only when that agent saves.
      </p>
      <p>Copy the command for your agent:</p>
      <ul class="commands">
        {waysToResume(id, storeOption).map(([host, text]) => (
          <li key={host}>
            <span>{host}</span>
            <code>{text}</code>
            <CopyButton text={text} label="Copy" />
          </li>
        ))}
      </ul>
    </Menu>
  );
}

/** Saves an earlier state again as the latest of its session. */
function GoBack({ id, session, row, head }: ActionsProps): JSX.Element {
  const { mayWrite, api, act } = usePage();
  const [name, setName] = useState(row === undefined ? "" : `back to #${row.sequence}`);
  const goBack = (event: Event): void => {
    event.preventDefault();
    void act(async () => {
      const { checkpointId, sequence } = await api.fork({ checkpointId: id, name });
      openAndFocus({ sessionId: session.id, checkpointId, tab: "changes", baseId: head?.id });
      const undo = async (): Promise<string> => {
        await api.remove({ checkpointId });
        openAndFocus({ sessionId: session.id, checkpointId: head?.id });
        return "The previous latest state is the latest again. The copy is in the trash.";
      };
      const state = row === undefined ? "This state" : `The state of #${row.sequence}`;
      return { text: `${state} is the latest again, as #${sequence}. Nothing was deleted.`, undo };
    });
  };
  return (
    <Menu label="Go back to this state…">
      {mayWrite ? (
        <form onSubmit={goBack}>
          <p>
            Saves the state of <Title id={id} row={row} /> again as the latest of the session, and agents continue from it. The newer
            checkpoints stay on the timeline. The files of your project stay as they are: to go back in them too, use git.
          </p>
          <p class="faint">
            To try something from this state, choose <strong>Continue in an agent…</strong>: one agent starts from it, and the latest of the
            session stays what it is until that agent saves.
          </p>
          <NameField name={name} onInput={setName} />
          <button type="submit" class="primary">
            Make it the latest
          </button>
        </form>
      ) : (
        <p>
          This page is read-only. Start it with <code>workrail ui --write</code>: this button then makes the state the latest of its session
          again.
        </p>
      )}
    </Menu>
  );
}

/** Saves the latest state again under a name. */
function Name({ id, session, row }: ActionsProps): JSX.Element {
  const { api, act } = usePage();
  const [name, setName] = useState("");
  const save = (event: Event): void => {
    event.preventDefault();
    void act(async () => {
      const { checkpointId, sequence } = await api.fork({ checkpointId: id, name });
      openAndFocus({ sessionId: session.id, checkpointId });
      return `Saved again as #${sequence} “${name.trim()}” with the same content.`;
    });
  };
  return (
    <Menu label="Name…">
      <form onSubmit={save}>
        <p>
          A checkpoint's name cannot change, so the state of <Title id={id} row={row} /> is saved again under the name.
        </p>
        <NameField name={name} isRequired onInput={setName} />
        <button type="submit" class="primary">
          Save
        </button>
      </form>
    </Menu>
  );
}

/** Says why an earlier state gets no name. */
function WhyNoName(): JSX.Element {
  return (
    <Menu label="Name…">
      <p>Only the latest state can be named: a checkpoint's name cannot change, so naming saves the state again as the latest.</p>
      <p>
        To have this state under a name and as the latest, choose <strong>Go back to this state…</strong>, which asks for a name.
      </p>
    </Menu>
  );
}

function Title({ id, row }: Pick<ActionsProps, "id" | "row">): JSX.Element {
  return <strong>{row === undefined ? id : <SafeText text={`#${row.sequence} ${titleOf(row)}`} />}</strong>;
}

interface NameFieldProps {
  readonly name: string;
  readonly isRequired?: boolean;
  readonly onInput: (name: string) => void;
}

function NameField({ name, isRequired = false, onInput }: NameFieldProps): JSX.Element {
  return (
    <label>
      Name of the new checkpoint{" "}
      <input type="text" maxLength={200} required={isRequired} value={name} onInput={(event) => onInput(event.currentTarget.value)} />
    </label>
  );
}

/** Tells that a checkpoint left the trash. */
export function backAgain(sequence: number | undefined): string {
  return `${sequence === undefined ? "The checkpoint" : `#${sequence}`} is back in its session.`;
}

function Remove({ id, row, session, head }: ActionsProps): JSX.Element {
  const { api, act } = usePage();
  const isHead = id === head?.id;
  const nextHead = async (): Promise<string> => {
    const { headId, rows } = await api.timeline({ sessionId: session.id });
    const now = rows.find((each) => each.id === headId);
    return now === undefined ? "The session has no state to continue from." : `Agents now get #${now.sequence} ${titleOf(now)}.`;
  };
  const remove = (): Promise<void> =>
    act(async () => {
      const { removed } = await api.remove({ checkpointId: id });
      if (removed === 0) return "It is already removed.";
      openAndFocus({ sessionId: session.id });
      const undo = async (): Promise<string> => {
        await api.restore({ sessionId: session.id, checkpointId: id });
        go({ sessionId: session.id, checkpointId: id });
        return backAgain(row?.sequence);
      };
      const trashed = `${row === undefined ? "The checkpoint" : `#${row.sequence}`} is in the trash.`;
      return { text: isHead ? `${trashed} ${await nextHead()}` : trashed, undo };
    });
  return (
    <button type="button" class="danger" onClick={() => void remove()}>
      Delete
    </button>
  );
}
