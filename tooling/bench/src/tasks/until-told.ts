/** Of several processes that shall begin together, one: says that everything is prepared, and resolves when the work may begin. */
export function untilTold(): Promise<void> {
  return new Promise((resolve) => {
    process.once("message", () => resolve());
    process.send?.("ready");
  });
}
