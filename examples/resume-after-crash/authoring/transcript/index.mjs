import { understand } from "./1-understand.mjs";
import { pagination } from "./2-pagination.mjs";
import { theHunt } from "./3-hunt.mjs";
import { limits } from "./4-limits.mjs";
import { finish } from "./5-finish.mjs";

export { initial } from "./initial.mjs";

export const steps = [...understand, ...pagination, ...theHunt, ...limits, ...finish];
