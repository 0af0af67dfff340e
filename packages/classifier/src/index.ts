export { wordClassifier } from "./word-classifier.ts";
