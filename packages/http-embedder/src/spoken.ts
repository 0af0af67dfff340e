/** How an endpoint is spoken to. */
export type EmbedderKind = "openai" | "ollama";

interface Spoken {
  readonly path: string;
  /** What a person can do when it fails. */
  readonly hint: string;
  /** The vectors of an answer, not yet looked at; `undefined` where it has none. */
  vectors(answer: unknown): readonly unknown[] | undefined;
}

/** What differs between the kinds. Both take `{ model, input }`. */
export const SPOKEN: Readonly<Record<EmbedderKind, Spoken>> = {
  openai: {
    path: "/embeddings",
    hint: "See that the endpoint runs, speaks OpenAI's embeddings, and has the model.",
    vectors(answer) {
      const data = listIn(answer, "data") as readonly ({ readonly index?: number; readonly embedding?: unknown } | null)[] | undefined;
      // They need not come in the order of the texts.
      return data?.toSorted((left, right) => (left?.index ?? 0) - (right?.index ?? 0)).map((entry) => entry?.embedding);
    },
  },
  ollama: {
    path: "/api/embed",
    hint: "See that Ollama runs, and has the model: `ollama pull` gets it.",
    vectors: (answer) => listIn(answer, "embeddings"),
  },
};

function listIn(answer: unknown, key: string): readonly unknown[] | undefined {
  const list = (answer as Readonly<Record<string, unknown>> | null)?.[key];
  return Array.isArray(list) ? list : undefined;
}
