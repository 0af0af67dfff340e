/** Runs `work` with another value of `process.platform`. Paths stay those of the real system. */
export async function onPlatform<T>(platform: NodeJS.Platform, work: () => Promise<T> | T): Promise<T> {
  const own = Object.getOwnPropertyDescriptor(process, "platform") as PropertyDescriptor;
  Object.defineProperty(process, "platform", { ...own, value: platform });
  try {
    return await work();
  } finally {
    Object.defineProperty(process, "platform", own);
  }
}
