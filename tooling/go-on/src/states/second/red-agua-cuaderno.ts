import type { WorkingState } from "../../working-state.ts";
import { many } from "../../filler.ts";

/** A data scientist's notebook on pipe breaks in a water network, in Spanish; it stopped before calibration and after a duplicate had been found. */

interface Cell {
  readonly cell_type: "markdown" | "code";
  readonly execution_count?: number | null;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly source: readonly string[];
  readonly outputs?: readonly unknown[];
}

let run = 0;

function md(...lines: readonly string[]): Cell {
  return { cell_type: "markdown", metadata: {}, source: lines.map((l) => `${l}\n`) };
}

function code(lines: readonly string[], ...outputs: readonly unknown[]): Cell {
  run += 1;
  return { cell_type: "code", execution_count: run, metadata: { collapsed: false }, source: lines.map((l) => `${l}\n`), outputs };
}

function stdout(...lines: readonly string[]): unknown {
  return { output_type: "stream", name: "stdout", text: lines.map((l) => `${l}\n`) };
}

function failure(ename: string, evalue: string, traceback: readonly string[]): unknown {
  return { output_type: "error", ename, evalue, traceback };
}

function table(lines: readonly string[]): unknown {
  return {
    output_type: "execute_result",
    execution_count: run + 1,
    metadata: {},
    data: { "text/plain": lines, "text/html": [`<table><tr><td>${lines.slice(0, 12).join("</td></tr><tr><td>")}</td></tr></table>`] },
  };
}

const tramos = (seed: number, count: number): string[] =>
  many(
    seed,
    count,
    (_, pick, whole) =>
      `S${String(1 + whole(22)).padStart(2, "0")}-${String(whole(2000)).padStart(4, "0")}  ${pick(["fundición gris", "fundición dúctil", "PEAD", "fibrocemento", "PVC", "acero"])}  DN${pick([80, 100, 150, 200, 300])}  ${1930 + whole(90)}  ${20 + whole(380)} m  roturas=${pick([0, 0, 0, 0, 1, 1, 2, 4])}`,
  );

const folds = (seed: number, count: number): string[] =>
  many(
    seed,
    count,
    (i, pick, whole) =>
      `[${String(i).padStart(3, "0")}] penalizer=${pick(["0.001", "0.01", "0.1", "1.0"])} l1=${pick(["0.0", "0.5", "1.0"])} pliegue=${whole(5)} c=${(0.66 + whole(80) / 1000).toFixed(3)} t=${(2 + whole(90) / 10).toFixed(1)}s ${pick(["ok", "ok", "ok", "ok (convergencia lenta)", "aviso: matriz casi singular"])}`,
  );

const sensores = many(
  303,
  140,
  (_, pick, whole) =>
    `${pick(["PT", "PT", "QT"])}-${100 + whole(300)};2024-${String(1 + whole(12)).padStart(2, "0")}-${String(1 + whole(28)).padStart(2, "0")};${(2 + whole(50) / 10).toFixed(1)} bar;sector ${1 + whole(22)};${pick(["válido", "válido", "válido", "interpolado", "sin señal"])}`,
);

const importancia = many(
  304,
  34,
  (i, pick, whole) =>
    `${pick(["edad", "material", "diametro", "presion_media", "presion_var", "trafico", "suelo", "longitud", "roturas_previas"])}_${i}   coef=${((whole(400) - 200) / 100).toFixed(2)}   p=${(whole(999) / 1000).toFixed(3)}`,
);

const cells: readonly Cell[] = [
  md(
    "# Riesgo de rotura de tuberías, red de Valdearroyo",
    "Objetivo: ordenar los 4.812 tramos por riesgo de rotura en 2026 para que el ayuntamiento elija los 120 que renueva. Entrega: 28 de noviembre.",
    "Versión 3 del cuaderno (las dos anteriores están en `viejos/`, no sirven).",
  ),
  code(["import pandas as pd, numpy as np", "from lifelines import CoxPHFitter", "pd.set_option('display.width', 160)"]),
  code(["tramos = pd.read_parquet('datos/tramos.parquet')", "tramos.head(60)"], table(tramos(305, 60))),
  md(
    "### Avisos del cliente (reunión del 3 de octubre)",
    "- El diámetro está en milímetros.",
    "- La columna `coste_reparacion` nunca puede entrar en el modelo: se rellena después de la rotura, es fuga de información.",
    "- Las coordenadas tienen un error de hasta 5 m.",
    "- El año 2020 no cuenta: con el confinamiento no hubo inspecciones.",
  ),
  code(
    ["tramos = tramos[tramos.anio_obs != 2020]", "tramos.isna().sum()"],
    stdout("id_tramo 0", "material 41", "diametro 0", "anio_instalacion 613", "presion_media 207", "suelo 12"),
  ),
  md(
    "Para el año que falta he puesto de momento la mediana global. Es una chapuza: TODO imputar `anio_instalacion` de los 613 tramos con la mediana de su sector y material.",
  ),
  code(["presion = pd.read_csv('datos/presion_2024.csv', sep=';')", "print(presion.to_csv())"], stdout(...sensores)),
  md("## Modelos", "Primer intento, gradient boosting con partición al azar: C = 0,861. Demasiado bonito."),
  code(["lgbm.fit(X_tr, y_tr)", "print(c_index(lgbm, X_te))"], stdout("0.861"), stdout(...folds(306, 30))),
  md(
    "Era mentira: tramos vecinos caían a los dos lados. Desde ahora la validación es con GroupKFold por sector; no se mezclan tramos de un mismo sector entre entrenamiento y prueba, en ningún caso.",
  ),
  code(["gkf = GroupKFold(5)", "for p in rejilla: prueba(p, gkf)"], stdout(...folds(307, 180))),
  md(
    "**Decisión (14/10):** nos quedamos con el modelo de Cox (C = 0,742). LightGBM descartado: 0,748 pero imposible de explicar al ayuntamiento, y lo tienen que votar en pleno.",
  ),
  code(
    ["cox = CoxPHFitter(penalizer=0.1, l1_ratio=0.0).fit(df, 'dur', 'rotura')", "cox.print_summary()"],
    stdout(...importancia, "Concordance = 0.742"),
  ),
  code(
    ["curva_calibracion(cox, 2023)"],
    stdout(
      ...many(
        308,
        20,
        (i, pick, whole) =>
          `decil ${1 + (i % 10)} ${pick(["sector urbano", "sector rural"])}: previsto ${(whole(90) / 10).toFixed(1)} % observado ${(whole(70) / 10).toFixed(1)} %`,
      ),
      "sobrestima en los deciles 8 a 10",
    ),
  ),
  md(
    "Los deciles altos salen sobrestimados. Próximo paso: recalibrar con regresión isotónica sobre las roturas de 2023 y repetir la curva.",
  ),
  code(
    ["base = tramos.merge(presion_sector, on='id_tramo', validate='one_to_one')"],
    failure("MergeError", "Merge keys are not unique in right dataset; not a one-to-one merge", [
      ...many(
        309,
        22,
        (_, pick, whole) =>
          `  File "/opt/conda/lib/python3.11/site-packages/pandas/core/reshape/${pick(["merge", "concat", "util"])}.py", line ${100 + whole(1500)}, in ${pick(["_validate_validate_kwd", "merge", "__init__", "get_result"])}`,
      ),
      "MergeError: Merge keys are not unique in right dataset",
    ]),
  ),
  code(
    ["presion_sector[presion_sector.id_tramo.duplicated(keep=False)]"],
    stdout("S14-0932  PT-211  4.1 bar", "S14-0932  PT-388  6.9 bar"),
  ),
  md(
    "El culpable es S14-0932: tiene dos sensores. Según mantenimiento el PT-388 está mal montado, hay que quitar PT-388 y quedarse con PT-211. Aún no lo he cambiado en la celda de carga.",
  ),
  code(["# exportar", "# ranking.to_parquet('salida/ranking_v3.parquet')"]),
];

export const state: WorkingState = {
  name: "red-agua-cuaderno",
  language: "es",
  kind: "data science; notebook cells with outputs and remarks, Spanish",
  focus: "recalibrar el modelo y exportar el ranking",
  human:
    "Cuaderno v3, red de Valdearroyo: ordenar los 4.812 tramos por riesgo de rotura en 2026, el ayuntamiento elige los 120 que renueva; entrega 28 de noviembre. `coste_reparacion` nunca puede entrar en el modelo (fuga de información). GroupKFold por sector: no se mezclan tramos de un mismo sector entre entrenamiento y prueba. El año 2020 no cuenta. Decisión: modelo de Cox (C = 0,742), LightGBM descartado por no explicable. MergeError: S14-0932 tiene dos sensores; quitar PT-388, aún sin hacer. Próximo paso: recalibrar con regresión isotónica sobre 2023; después exportar salida/ranking_v3.parquet con columnas id_tramo, riesgo y decil. TODO imputar anio_instalacion de los 613 tramos con la mediana de su sector y material. Lucía, último: dejar el sector 9 fuera del ranking, se renueva entero.",
  questions: [
    { kind: "goal", q: "¿Qué hay que entregar y cuándo?", answer: ["los 120 que renueva", "28 de noviembre"] },
    { kind: "prohibition", q: "¿Qué columna no puede usarse?", answer: ["coste_reparacion[\\s\\S]{0,15}?nunca"] },
    { kind: "prohibition", q: "¿Qué no se mezcla en la validación?", answer: ["no se mezclan tramos de un mismo sector"] },
    { kind: "next", q: "¿Cuál es el próximo paso con el modelo?", answer: ["recalibrar con regresión isotónica"] },
    { kind: "next", q: "¿Qué se exporta después y con qué columnas?", answer: ["ranking_v3\\.parquet", "id_tramo, riesgo y decil"] },
    { kind: "todo", q: "¿Qué falta imputar y cómo?", answer: ["613 tramos con la mediana de su sector"] },
    { kind: "decision", q: "¿Qué modelo se eligió?", answer: ["modelo de Cox[\\s\\S]{0,60}?LightGBM descartado"] },
    { kind: "error", q: "¿Qué tramo rompe el merge y qué sensor se quita?", answer: ["S14-0932", "quitar (?:el )?PT-388"] },
    { kind: "fact", q: "¿Qué año no cuenta?", answer: ["2020 no cuenta"] },
    { kind: "recent", q: "¿Qué pidió Lucía al final?", answer: ["sector 9 fuera del ranking"] },
  ],
  context: {
    cuaderno: "roturas_v3.ipynb",
    kernel: { name: "python3", estado: "idle", ultimaCelda: run },
    notebook: { nbformat: 4, nbformat_minor: 5, metadata: { language_info: { name: "python", version: "3.11.8" } }, cells },
    variablesEnMemoria: many(310, 40, (i, pick, whole) => ({
      nombre: `${pick(["df", "tmp", "X", "y", "aux", "presion", "cox"])}_${i}`,
      tipo: pick(["DataFrame", "ndarray", "Series", "float"]),
      bytes: whole(90_000_000),
    })),
    observaciones: [
      { autor: "Lucía", celda: 3, texto: "¿los PVC de antes de 1970 son un error? -> sí, corregidos por Iker" },
      { autor: "Iker", celda: 12, texto: "de acuerdo con Cox, el interventor me lo agradecerá" },
      {
        autor: "Iker",
        celda: 19,
        texto: "al exportar, solo las columnas id_tramo, riesgo y decil, separador da igual, que lo carga el SIG",
      },
      {
        autor: "Lucía",
        celda: 15,
        texto:
          "¡novedad de hoy! dejad el sector 9 fuera del ranking, se renueva entero con fondos europeos, así que esos tramos no compiten por los 120",
        fecha: "2025-10-21T17:48",
      },
    ],
    versionesViejas: ["roturas_v1.ipynb (C 0,861, partición al azar)", "roturas_v2.ipynb (entrega decía 15 de noviembre, ya no)"],
  },
};
