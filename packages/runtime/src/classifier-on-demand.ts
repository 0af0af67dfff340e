import type { Classifier } from "@workrail/core";

/** The built-in classifier. Loaded on first use: it takes long to load, and many processes classify nothing. */
export const classifierOnDemand: Classifier = {
  async classify(context, keys) {
    const { wordClassifier } = await import("@workrail/classifier");
    return wordClassifier.classify(context, keys);
  },
};
