/** Does something while the process takes itself to be on another system. Its paths stay those of the system that it is on. */
export async function onPlatform<T>(platform: NodeJS.Platform, work: () => Promise<T> | T): Promise<T> {
  const own = Object.getOwnPropertyDescriptor(process, "platform") as PropertyDescriptor;
  Object.defineProperty(process, "platform", { ...own, value: platform });
  try {
    return await work();
  } finally {
    Object.defineProperty(process, "platform", own);
  }
}
