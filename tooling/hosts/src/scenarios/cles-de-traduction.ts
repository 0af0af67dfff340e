import { editing, planning, reading, running, saying, type Scenario, writing } from "../scenario.ts";

const EN = `{
  "accueil.titre": "Welcome",
  "compte.fermer": "Close my account",
  "paiement.refuse": "Your card was declined",
  "panier.vide": "Your basket is empty"
}
`;

const FR = `{
  "accueil.titre": "Bienvenue",
  "compte.ancien": "Ancien compte",
  "compte.fermer": "Fermer mon compte"
}
`;

const DE = `{
  "accueil.titre": "Willkommen",
  "compte.fermer": "Konto schliessen"
}
`;

const CHECK = `import { readFileSync } from "node:fs";

const lire = (langue) => JSON.parse(readFileSync(\`locales/\${langue}.json\`, "utf8"));
const en = Object.keys(lire("en"));
const fr = Object.keys(lire("fr"));
const problemes = [
  ...en.filter((cle) => !fr.includes(cle)).map((cle) => \`locales/fr.json : clé manquante \${cle}\`),
  ...fr.filter((cle) => !en.includes(cle)).map((cle) => \`locales/fr.json : clé en trop \${cle}\`),
];
console.log(problemes.join("\\n") || "rien à signaler");
process.exit(problemes.length > 0 ? 1 : 0);
`;

export const clesDeTraduction: Scenario = {
  name: "cles-de-traduction",
  about: "Translation files, in French, at a terminal: the person presses Esc and corrects the agent.",
  hosts: ["claude-code"],
  files: {
    "locales/en.json": EN,
    "locales/fr.json": FR,
    "locales/de.json": DE,
    "scripts/verifier.mjs": CHECK,
    "src/compte.js":
      'import { t } from "./t.js";\n\nexport const titre = (compte) => (compte.migre ? t("compte.fermer") : t("compte.ancien"));\n',
    "src/t.js":
      'import { readFileSync } from "node:fs";\n\nexport const t = (cle) => JSON.parse(readFileSync("locales/fr.json", "utf8"))[cle];\n',
  },
  before: [
    {
      prompt:
        "Aligne les clés de locales/fr.json sur celles de locales/en.json, il en manque. Ne touche surtout pas à locales/de.json, c'est l'agence qui s'en occupe. Pour vérifier : node scripts/verifier.mjs",
      turns: [
        reading("locales/en.json", "locales/fr.json", "scripts/verifier.mjs"),
        running("node scripts/verifier.mjs", "D'abord l'état des lieux."),
        planning(
          "> Ajouter les clés manquantes à locales/fr.json",
          "- Traiter la clé en trop compte.ancien",
          "- node scripts/verifier.mjs sans erreur",
        ),
        editing(
          "locales/fr.json",
          {
            old: '  "compte.fermer": "Fermer mon compte"',
            new: '  "compte.fermer": "Fermer mon compte",\n  "panier.vide": "Votre panier est vide"',
          },
          "Je traduis panier.vide, la phrase est simple.",
        ),
        running("node scripts/verifier.mjs"),
      ],
      isEscaped: true,
    },
    {
      prompt: "Stop ! N'invente aucune traduction. Mets le texte anglais précédé de TODO, la traductrice passe vendredi.",
      turns: [
        editing(
          "locales/fr.json",
          {
            old: '  "panier.vide": "Votre panier est vide"',
            new: '  "paiement.refuse": "TODO Your card was declined",\n  "panier.vide": "TODO Your basket is empty"',
          },
          "Compris : le texte anglais avec TODO, aucune traduction de ma part.",
        ),
        running("node scripts/verifier.mjs"),
        running("grep -rn compte.ancien src", "Il reste une clé en trop. Quelqu'un la lit-il encore ?"),
        planning(
          "x Ajouter les clés manquantes à locales/fr.json",
          "> Traiter la clé en trop compte.ancien",
          "- node scripts/verifier.mjs sans erreur",
        ),
        {
          text: "src/compte.js lit encore compte.ancien. Je garde donc la clé, parce que la supprimer afficherait undefined aux comptes non migrés.",
          calls: [{ tool: "shell", command: "node -e \"import('./src/compte.js').then((m) => console.log(m.titre({ migre: false })))\"" }],
        },
        saying(
          "Les clés manquantes sont là, en TODO. compte.ancien reste : src/compte.js s'en sert. Il manque cette clé dans locales/en.json, mais vous ne m'avez pas demandé d'y toucher.",
        ),
      ],
    },
    {
      prompt: "Très bien. Écris aussi un test pour que ça ne se reproduise plus, et un qui refuse les TODO avant une mise en production.",
      turns: [
        writing(
          "test/locales.test.mjs",
          `import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

const lire = (langue) => JSON.parse(readFileSync(\`locales/\${langue}.json\`, "utf8"));

test("le français a toutes les clés de l'anglais", () => {
  const fr = lire("fr");
  assert.deepEqual(Object.keys(lire("en")).filter((cle) => !(cle in fr)), []);
});

test("aucun TODO ne part en production", () => {
  const restants = Object.entries(lire("fr")).filter(([, texte]) => texte.startsWith("TODO")).map(([cle]) => cle);
  assert.equal(restants.length, 0, "encore à traduire : " + restants.join(", "));
});
`,
        ),
        running("node --test test/locales.test.mjs 2>&1 | grep -E '✖|✔|traduire' | sort -u"),
        saying(
          "Où j'en suis : locales/fr.json a toutes les clés, test/locales.test.mjs est écrit. `aucun TODO ne part en production` échoue comme prévu : encore à traduire : paiement.refuse, panier.vide, jusqu'au passage de la traductrice vendredi. Prochaine étape : ajouter compte.ancien à locales/en.json si vous êtes d'accord, puis relancer node scripts/verifier.mjs. Question ouverte : le test des TODO doit-il bloquer chaque commit ou seulement la mise en production ?",
        ),
      ],
    },
  ],
  after: [
    {
      prompt: 'Seulement la mise en production. Et oui, ajoute la clé à l\'anglais : "Old account".',
      turns: [
        reading("locales/en.json"),
        editing("locales/en.json", {
          old: '  "compte.fermer": "Close my account",',
          new: '  "compte.ancien": "Old account",\n  "compte.fermer": "Close my account",',
        }),
        running("node scripts/verifier.mjs"),
        reading("test/locales.test.mjs", "locales/fr.json"),
        running(
          "sed -i 's/test(\"aucun TODO ne part en production\", /test(\"aucun TODO ne part en production\", { skip: !process.env.PRODUCTION }, /' test/locales.test.mjs && node --test test/locales.test.mjs 2>&1 | grep -E '✖|✔|traduire|﹣' | sort -u",
        ),
        running("git status --short"),
        saying("Tout est aligné, locales/de.json n'a pas bougé."),
      ],
    },
  ],
  questions: [
    { ask: "Quel est le but ?", expect: /Aligne les clés/ },
    { ask: "Quel fichier ne faut-il pas toucher ?", expect: "locales/de.json" },
    { ask: "Qui s'en occupe ?", expect: /l'agence/ },
    { ask: "Qu'est-ce qui est interdit depuis l'interruption ?", expect: /N'invente aucune traduction/ },
    { ask: "Quand passe la traductrice ?", expect: /vendredi/ },
    { ask: "Comment vérifie-t-on ?", expect: "node scripts/verifier.mjs" },
    { ask: "Quel test échoue ?", expect: /aucun TODO ne part en production/ },
    { ask: "Avec quel message ?", expect: /encore à traduire : paiement\.refuse, panier\.vide/ },
    { ask: "Pourquoi garder compte.ancien ?", expect: /comptes non migrés|src\/compte\.js (lit|s'en sert)/ },
    { ask: "Quelle est la prochaine étape ?", expect: /compte\.ancien à locales\/en\.json/ },
  ],
};
