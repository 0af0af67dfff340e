export { httpCondenser } from "./http-condenser.ts";
export type { HttpCondenserOptions } from "./http-condenser.ts";
