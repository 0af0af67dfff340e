export type { CountSteps } from "./count-pieces.ts";
export { loadO200k, type O200k } from "./load-o200k.ts";
