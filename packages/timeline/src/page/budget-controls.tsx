import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { number } from "./format.ts";
import { useSettled } from "./use-data.ts";

export interface Wish {
  readonly budgetTokens: number;
  readonly focus: string;
}

export interface BudgetControlsProps {
  readonly wish: Wish;
  readonly least: number;
  readonly most: number;
  readonly onChange: (wish: Wish) => void;
}

const STEPS = 100;

/** Sets an agent's token budget and its next task. The slider is finer where budgets are small. */
export function BudgetControls({ wish, least, most, onChange }: BudgetControlsProps): JSX.Element {
  const { budgetTokens, focus } = wish;
  const ratio = most / least;
  const place = Math.round((STEPS * Math.log(budgetTokens / least)) / Math.log(ratio));
  const set = (tokens: number): void => onChange({ ...wish, budgetTokens: Math.min(most, Math.max(least, Math.round(tokens))) });
  return (
    <div class="controls">
      <label>
        Budget{" "}
        <input
          type="range"
          min={0}
          max={STEPS}
          value={place}
          aria-valuetext={`${number(budgetTokens)} tokens`}
          onInput={(event) => set(round(least * ratio ** (Number(event.currentTarget.value) / STEPS)))}
        />
      </label>
      <label>
        <TokensInput tokens={budgetTokens} least={least} most={most} onChange={set} /> tokens ({number(least)} to {number(most)})
      </label>
      <label class="grow">
        Focus{" "}
        <input
          type="text"
          placeholder="the agent's next task"
          maxLength={2_000}
          value={focus}
          onInput={(event) => onChange({ ...wish, focus: event.currentTarget.value })}
        />
      </label>
    </div>
  );
}

interface TokensInputProps {
  readonly tokens: number;
  readonly least: number;
  readonly most: number;
  readonly onChange: (tokens: number) => void;
}

const AFTER_TYPING_MS = 500;

/** Applies a typed number once it is in range and the typing pauses. Enter, or leaving the field, applies any number. */
function TokensInput({ tokens, least, most, onChange }: TokensInputProps): JSX.Element {
  const [typed, setTyped] = useState<string>();
  const settled = useSettled(typed, AFTER_TYPING_MS);
  const isTyped = typed !== undefined && typed === settled && Number(typed) >= least && Number(typed) <= most;
  useEffect(() => {
    if (isTyped && Number(typed) !== tokens) onChange(Number(typed));
  }, [isTyped, typed]);
  return (
    <input
      class="tokens-input"
      type="number"
      min={least}
      max={most}
      value={typed ?? tokens}
      onInput={(event) => setTyped(event.currentTarget.value)}
      // Otherwise the wheel changes the number instead of scrolling the page.
      onWheel={(event) => event.currentTarget.blur()}
      onChange={(event) => {
        setTyped(undefined);
        onChange(Number(event.currentTarget.value));
      }}
    />
  );
}

/** Reports a focus without effect. @param isSame the answer is the same as without the focus. */
export function FocusNote({ isSame }: { readonly isSame: boolean }): JSX.Element {
  return (
    <p class="faint" role="status">
      {isSame ? "The focus has no effect here: the answer is the same without it. A focus ranks entries when not all fit." : ""}
    </p>
  );
}

/** Two digits that count. */
function round(tokens: number): number {
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(tokens)) - 1);
  return Math.round(tokens / unit) * unit;
}
