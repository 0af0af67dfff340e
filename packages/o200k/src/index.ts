export { type CountSteps, type O200k, loadO200k } from "./load-o200k.ts";
