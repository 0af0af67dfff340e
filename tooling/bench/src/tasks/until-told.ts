/** Reports that this process is ready, and resolves when all processes may begin together. */
export function untilTold(): Promise<void> {
  return new Promise((resolve) => {
    process.once("message", () => resolve());
    process.send?.("ready");
  });
}
