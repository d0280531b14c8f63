// Generated from the files in words/: make openapi

export const WORDS = {
  de: () => import("./words/de.js"),
  en: () => import("./words/en.js"),
  fr: () => import("./words/fr.js"),
  it: () => import("./words/it.js"),
};
