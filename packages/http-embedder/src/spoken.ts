/** Protocol of an endpoint. */
export type EmbedderKind = "openai" | "ollama";

interface Spoken {
  readonly path: string;
  /** Advice for a user after a failure. */
  readonly hint: string;
  /** Returns the unchecked vectors of an answer, or `undefined` without any. */
  vectors(answer: unknown): readonly unknown[] | undefined;
}

/** Differences between the protocols. Both take `{ model, input }`. */
export const SPOKEN: Readonly<Record<EmbedderKind, Spoken>> = {
  openai: {
    path: "/embeddings",
    hint: "Check that the endpoint runs, supports OpenAI's embeddings, and has the model.",
    vectors(answer) {
      const data = listIn(answer, "data") as readonly ({ readonly index?: number; readonly embedding?: unknown } | null)[] | undefined;
      // The vectors may come in another order than the texts.
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
