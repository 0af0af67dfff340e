import type { WorkingState } from "../../working-state.ts";
import { many } from "../../filler.ts";

type Cell = Readonly<Record<string, unknown>>;

function markdown(id: string, text: string): Cell {
  return { cell_type: "markdown", id, metadata: {}, source: text.split("\n").map((line) => `${line}\n`) };
}

interface Run {
  readonly count: number | null;
  readonly outputs?: readonly unknown[];
}

function code(id: string, text: string, { count, outputs = [] }: Run): Cell {
  return {
    cell_type: "code",
    id,
    execution_count: count,
    metadata: { collapsed: false },
    source: text.split("\n").map((line) => `${line}\n`),
    outputs,
  };
}

function stdout(lines: readonly string[]): Cell {
  return { output_type: "stream", name: "stdout", text: lines.map((line) => `${line}\n`) };
}

function frame(seed: number, count: number): string[] {
  return [
    "                      load_mw  temp_c  wind_ms  flow_c  holiday",
    ...many(
      seed,
      count,
      (index, pick, whole) =>
        `2024-${String(1 + Math.floor(index / 28)).padStart(2, "0")}-${String(1 + (index % 28)).padStart(2, "0")} ${String(whole(24)).padStart(2, "0")}:00:00  ${(40 + whole(900) / 10).toFixed(2).padStart(7)}  ${(whole(300) / 10 - 8).toFixed(1).padStart(6)}  ${(whole(140) / 10).toFixed(1).padStart(7)}  ${(78 + whole(300) / 10).toFixed(1).padStart(6)}  ${pick(["False", "False", "False", "True"]).padStart(7)}`,
    ),
  ];
}

function training(seed: number, count: number): string[] {
  return many(
    seed,
    count,
    (index, _pick, whole) =>
      `[${(index + 1) * 25}]\ttrain's l1: ${(6.2 - index * 0.031 + whole(30) / 1000).toFixed(4)}\tvalid's l1: ${(6.6 - index * 0.024 + whole(60) / 1000).toFixed(4)}`,
  );
}

/** A data scientist's notebook on the district heating load of a town, stopped at the duplicated hour of October. */
export const state: WorkingState = {
  name: "heat-load-notebook",
  language: "en",
  kind: "notebook with cells and outputs, plus a scratch pad",
  focus: "repair the duplicated hour and finish the backtest",
  human:
    'Day-ahead forecast of the district heating load for Stadtwerke, MAPE below 5 %, to be handed to dispatch on 20 January. Do not look at the holdout (November and December 2024) before the model is frozen. Never train on measured temperature, only on the archived forecast issued at 06:00: leakage. Decided: LightGBM with quantile loss; the LSTM was dropped (5.9 %, twelve times slower). Error in cell 14: reindex raises on duplicate labels, the hour 2024-10-27 02:00 exists twice, index is local time. Next: convert the index to UTC with tz_localize(ambiguous="infer") in cell 5, rerun cells 6 to 14; then the rolling backtest with 52 origins. Open: holiday feature lacks school holidays. Last from Birgit: the hospital (9 MW) leaves the net on 1 January, subtract meter M-118. Current validation MAPE 5.4 %.',
  questions: [
    { q: "What is forecast, how well, for when?", answer: ["district heating|[Hh]eat load", "MAPE below 5 %", "20 January"], kind: "goal" },
    {
      q: "Which data must not be looked at?",
      answer: [
        "(?:[Dd]o not|[Dd]on'?t|[Nn]ever|must not)[\\s\\S]{0,40}?holdout|holdout[\\s\\S]{0,80}?(?:not|never)[\\s\\S]{0,20}?(?:look|open|touch)",
      ],
      kind: "prohibition",
    },
    {
      q: "Which temperature must never be trained on?",
      answer: [
        "(?:[Nn]ever|not)[\\s\\S]{0,20}?train[\\s\\S]{0,20}?measured temperature|measured temperature[\\s\\S]{0,60}?(?:never|not|leak)",
      ],
      kind: "prohibition",
    },
    {
      q: "Which model was chosen, and which dropped?",
      answer: ["LightGBM", "LSTM[\\s\\S]{0,60}?(?:dropped|slower)|dropped[\\s\\S]{0,40}?LSTM"],
      kind: "decision",
    },
    { q: "What went wrong, at which hour?", answer: ["duplicate labels", "2024-10-27 02:00"], kind: "error" },
    { q: "How is the index repaired?", answer: ["UTC", "ambiguous=.{0,2}infer"], kind: "next" },
    { q: "What comes after the repair?", answer: ["backtest[\\s\\S]{0,40}?52 origins|52 origins[\\s\\S]{0,40}?backtest"], kind: "next" },
    { q: "Which feature is unfinished?", answer: ["school holidays"], kind: "todo" },
    { q: "What did Birgit report last?", answer: ["hospital", "M-118"], kind: "recent" },
    { q: "When is the temperature forecast issued that is used?", answer: ["issued at 06:00"], kind: "fact" },
  ],
  context: {
    notebook: {
      nbformat: 4,
      nbformat_minor: 5,
      metadata: { kernelspec: { name: "heat", display_name: "heat (3.11)", language: "python" }, path: "forecast/heat_load_v7.ipynb" },
      cells: [
        markdown(
          "c01",
          "# Heat load, day ahead\nCustomer: Stadtwerke, dispatch desk (Birgit). Forecast of the district heating load, hourly, for the next day.\nTarget: MAPE below 5 % on the holdout. Handover to dispatch on 20 January.\n\n(v3 of this notebook aimed at the peak load only; not any more.)",
        ),
        markdown(
          "c02",
          "## Rules of the game\n* holdout = November and December 2024. Do not look at the holdout before the model is frozen, not even in a plot. One shot.\n* net losses are part of the load\n* figures in MW, not in MWh/h",
        ),
        code(
          "c03",
          "import pandas as pd, numpy as np, lightgbm as lgb\nfrom heat import io, feats, cv\npd.set_option('display.width', 140)",
          { count: 1 },
        ),
        code("c04", "raw = io.read_scada('scada_2022_2024.parquet')\nprint(raw.head(60))", {
          count: 2,
          outputs: [stdout(frame(1001, 60))],
        }),
        code("c05", "df = raw.set_index('ts_local').sort_index()\ndf = df.loc[: '2024-10-31']", { count: 3 }),
        markdown(
          "c06",
          "### On temperature\nFirst runs had 2.9 % MAPE, too good. Reason: at forecast time nobody has tomorrow's temperature.\nSo: never train on measured temperature (leakage), only on the archived weather forecast, the run issued at 06:00. `temp_c` stays in the frame for plots.",
        ),
        code("c07", "wx = io.read_nwp('archive/', run='06')\ndf = df.join(wx, how='left')\nprint(df.isna().sum())\nprint(df.describe())", {
          count: 5,
          outputs: [
            stdout(
              many(
                1002,
                48,
                (_i, pick, whole) =>
                  `${pick(["temp_fc", "wind_fc", "cloud_fc", "rad_fc", "load_mw", "flow_c"]).padEnd(10)} ${pick(["mean", "std", "25%", "50%", "75%", "na"]).padEnd(5)} ${(whole(9000) / 100).toFixed(3)}`,
              ),
            ),
          ],
        }),
        code("c08", "X = feats.calendar(df) | feats.lags(df, [24, 48, 168]) | feats.rolling(df)\nprint(X.dtypes)", {
          count: 6,
          outputs: [
            stdout(
              many(
                1003,
                72,
                (_i, pick, whole) =>
                  `${pick(["lag", "roll_mean", "roll_max", "hour_sin", "dow", "deg_hours"])}_${whole(168)}`.padEnd(28) +
                  pick(["float32", "float32", "int8"]),
              ),
            ),
          ],
        }),
        markdown(
          "c09",
          "`feats.calendar` knows public holidays. TODO: school holidays are missing in it (the swimming pool and the gyms make up 4 MW), ics files are in `ref/`, parser half done in `feats_school.py`.",
        ),
        code(
          "c10",
          "params = dict(objective='quantile', alpha=0.5, learning_rate=0.03, num_leaves=63)\nm = lgb.train(params, dtrain, 4000, valid_sets=[dtrain, dvalid], callbacks=[lgb.log_evaluation(25)])",
          { count: 8, outputs: [stdout(training(1004, 110))] },
        ),
        code("c11", "lstm = heat.nets.LSTM(64, 2).fit(Xs, ys, epochs=40)\nprint(score(lstm))", {
          count: 9,
          outputs: [
            stdout([
              ...many(
                1005,
                40,
                (index, _pick, whole) =>
                  `epoch ${String(index + 1).padStart(2)}/40  loss ${(0.41 - index * 0.006 + whole(30) / 1000).toFixed(4)}  val ${(0.44 - index * 0.005 + whole(40) / 1000).toFixed(4)}  ${120 + whole(30)} s`,
              ),
              "mape 5.9",
            ]),
          ],
        }),
        markdown(
          "c12",
          "### Model: closed\nLightGBM with quantile loss stays. LSTM dropped: 5.9 % and twelve times slower, dispatch has no GPU. Ridge (7.1 %) only remains as a fallback.\nLightGBM on validation: 5.4 %.",
        ),
        code("c13", "imp = pd.Series(m.feature_importance('gain'), m.feature_name()).sort_values()\nprint(imp.tail(50))", {
          count: 11,
          outputs: [
            stdout(
              many(
                1006,
                50,
                (_i, pick, whole) =>
                  `${pick(["temp_fc", "lag_24", "lag_168", "hour_sin", "deg_hours", "wind_fc", "roll_mean_72"]).padEnd(18)} ${whole(900000)}`,
              ),
            ),
          ],
        }),
        code(
          "c14",
          "grid = pd.date_range(df.index[0], df.index[-1], freq='h')\ndf = df.reindex(grid)\nbt = cv.rolling_origin(df, horizon=24)",
          {
            count: 12,
            outputs: [
              {
                output_type: "error",
                ename: "ValueError",
                evalue: "cannot reindex on an axis with duplicate labels",
                traceback: many(
                  1007,
                  34,
                  (_i, pick, whole) =>
                    `File ~/envs/heat/lib/python3.11/site-packages/pandas/core/${pick(["frame", "indexes/base", "generic", "internals/managers", "reshape/concat"])}.py:${200 + whole(6000)}, in ${pick(["reindex", "_reindex_axes", "_validate_can_reindex", "get_indexer", "reindex_indexer"])}`,
                ),
              },
            ],
          },
        ),
        code("c15", "print(df.index[df.index.duplicated(keep=False)])", {
          count: 13,
          outputs: [
            stdout([
              "DatetimeIndex(['2022-10-30 02:00:00', '2022-10-30 02:00:00', '2023-10-29 02:00:00', '2023-10-29 02:00:00', '2024-10-27 02:00:00', '2024-10-27 02:00:00'], dtype='datetime64[ns]', name='ts_local')",
            ]),
          ],
        }),
        code("c16", "", { count: null }),
      ],
    },
    scratch: {
      finding:
        "cell 14 fails since SCADA writes local time: when the clock goes back, one hour is there twice (last one 2024-10-27 02:00). Dropping one of them would shift all lags by an hour, so no drop_duplicates.",
      plan: [
        "in cell 5: df.index = df.index.tz_localize('Europe/Berlin', ambiguous=\"infer\").tz_convert('UTC')",
        "rerun cells 6 to 14",
        "rolling backtest with 52 origins, one per week, horizon 24",
        "freeze, then holdout once",
      ],
      kernel: "alive, 11.2 GB",
      timings: many(1008, 60, (index, pick, whole) => ({
        cell: `c${String(3 + (index % 13)).padStart(2, "0")}`,
        s: whole(9000) / 100,
        cached: pick([true, false, false]),
      })),
    },
    chat: [
      {
        who: "Birgit",
        text: "Hello, we would use the numbers from the 20th on. The peak itself is not so important, the morning ramp is.",
      },
      { who: "agent", text: "Understood, I will also report the error between 05:00 and 09:00." },
      {
        who: "Birgit",
        text: "One more: the hospital leaves the net on 1 January, they have their own plant now. About 9 MW. You can subtract its meter, M-118, from the history. Otherwise everything will be too high, I fear.",
      },
    ],
    saved: "2025-01-09T17:26:00+01:00",
  },
};
