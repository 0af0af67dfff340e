import type { WorkingState } from "../../working-state.ts";
import { many } from "../../filler.ts";

const glosario = many(401, 74, (i, pick, whole) => {
  const en = pick([
    "slack water",
    "marram",
    "brackish",
    "dyke",
    "samphire",
    "mudflat",
    "causeway",
    "neap tide",
    "spring tide",
    "salt pan",
    "sluice",
    "saltern",
    "oystercatcher",
    "eel trap",
    "reed bed",
    "withy",
    "groyne",
    "peat",
    "skerry",
    "bittern",
    "tern",
    "shingle",
    "landing stage",
    "drain",
    "warp",
  ]);
  const es = pick([
    "estoa",
    "barrón",
    "salobre",
    "dique",
    "salicornia",
    "fangal",
    "calzada",
    "marea muerta",
    "marea viva",
    "salina",
    "compuerta",
    "saladar",
    "ostrero",
    "nasa",
    "carrizal",
    "mimbre",
    "espigón",
    "turba",
    "islote",
    "avetoro",
    "charrán",
    "guijarral",
    "embarcadero",
    "acequia",
    "limo",
  ]);
  return `| ${i + 1} | ${en} | ${es} | ens. ${1 + whole(14)}, § ${1 + whole(30)} | ${pick(["visto", "visto", "dudoso", "consultado con J.", ""])} |`;
}).join("\n");

const revision = (seed: number, count: number): string =>
  many(seed, count, (i, pick, whole) => {
    const q = pick([
      "calco",
      "repetición",
      "régimen",
      "coma",
      "gerundio",
      "registro",
      "ritmo",
      "cacofonía",
      "leísmo",
      "topónimo",
      "cita sin comillas",
    ]);
    return `- [x] § ${i + 1}: ${q}. ${pick(["Cambio", "Se cambia", "Corregido"])} «${pick(["tuvo lugar", "el mismo", "a nivel de", "en base a", "hizo sentido", "de alguna manera", "se encontraba", "una suerte de"])}» por «${pick(["ocurrió", "este", "en", "según", "tuvo lógica", "(supr.)", "estaba", "una especie de"])}»; ${pick(["sin duda", "revisar el eco con el párrafo anterior", "el original es igual de torpe, se respeta", "Joaquín de acuerdo", "queda una línea más corto"])}, p. ${10 + whole(260)}.`;
  }).join("\n");

const diario = many(
  403,
  18,
  (i, pick, whole) =>
    `**${String(2 + i).padStart(2, "0")}/05** ${pick(["Mañana floja.", "Buen día.", "Cuatro horas limpias.", "Interrupciones."])} ${6 + whole(9)} páginas de ${pick(["primera vuelta", "segunda vuelta", "lectura en voz alta"])}. ${pick(["La autora alarga las frases con punto y coma y aquí el español aguanta bien.", "Demasiados adverbios en -mente, los dejo en dos por página.", "El párrafo de las anguilas se resiste.", "He leído en voz alta el comienzo y cojea el segundo período.", "Consultado el mapa de la marisma para situar el molino.", "Comprobadas las citas de la Biblia con la versión que usa la casa."])} ${pick(["Sigo mañana.", "Cerrado.", "Falta el final.", "Anoto dudas abajo."])}`,
).join("\n\n");

/** A literary translator's single running log for a book of essays, stopped in the ninth essay with a month to go. */
export const state: WorkingState = {
  name: "huerta-de-sal",
  language: "es",
  kind: "proyecto de traducción; un único texto largo en Markdown",
  focus: "terminar la revisión del ensayo 9",
  human:
    "Traducción de «The Salt Orchard» (La huerta de sal), 14 ensayos, para Editorial Almendro: entrega a Pilar el 30 de junio. Edición para México y Cono Sur: nunca usar «vosotros». No traducir los nombres de los vientos (haar, helm), van en redonda. «Tidewrack» = «arribazón» (ya no «resaca», cambiar en 2, 5 y 8). Ensayos 1 a 8 cerrados. Sigue: ensayo 9, §§ 14 a 22, sobre e09_v2.docx (e09_v3 perdió las cursivas al exportar); después las notas del ensayo 10. Pendiente: permiso del poema del ensayo 11, la agencia de Remedios no ha contestado; sin permiso, se parafrasea. Último correo de Pilar: máximo 320 páginas, las notas al pie pasan al final del libro. La autora confirma: la abuela del ensayo 12 murió en 1953, no 1935.",
  questions: [
    { q: "¿Qué hay que entregar y cuándo?", kind: "goal", answer: ["14 ensayos", "30 de junio"] },
    {
      q: "¿Qué forma verbal está vetada?",
      kind: "prohibition",
      answer: ["(?:[Nn]unca|\\b[Nn]o|\\b[Ss]in|[Pp]rohibido)[\\s\\S]{0,60}?vosotros|vosotros[\\s\\S]{0,40}?(?:nunca|no |prohibido)"],
    },
    {
      q: "¿Qué no se traduce?",
      kind: "prohibition",
      answer: ["[Nn]o (?:se )?traduc[\\s\\S]{0,60}?vientos|vientos[\\s\\S]{0,60}?no se traduc"],
    },
    {
      q: "¿Cómo se traduce tidewrack?",
      kind: "decision",
      answer: ["[Tt]idewrack[\\s\\S]{0,60}?arribazón|arribazón[\\s\\S]{0,60}?[Tt]idewrack"],
    },
    { q: "¿Qué archivo del ensayo 9 es el bueno y por qué?", kind: "error", answer: ["e09_v2", "cursivas"] },
    { q: "¿Qué párrafos tocan ahora?", kind: "next", answer: ["(?:14 a 22|14-22|14–22)"] },
    { q: "¿Y después?", kind: "next", answer: ["notas del ensayo 10"] },
    { q: "¿Qué permiso falta?", kind: "todo", answer: ["permiso[\\s\\S]{0,80}?poema|poema[\\s\\S]{0,80}?permiso", "Remedios"] },
    { q: "¿Qué pidió Pilar en su último correo?", kind: "recent", answer: ["320 páginas", "notas al pie[\\s\\S]{0,60}?final"] },
    { q: "¿Año correcto de la muerte de la abuela?", kind: "fact", answer: ["1953"] },
  ],
  context: {
    bitacora: `# La huerta de sal: bitácora de traducción

**Encargo:** traducción de *The Salt Orchard*, 14 ensayos, unas 96.000 palabras, para Editorial Almendro. **Entrega a Pilar (editora): 30 de junio**, texto limpio, una carpeta, un archivo por ensayo. Revisor: Joaquín. La autora contesta correos, pero tarda.

## 1. Criterios

- Edición para México y Cono Sur. Tú y ustedes; nunca «vosotros», tampoco en las citas bíblicas (usar la versión de la casa).
- Guion largo en diálogos, comillas angulares.
- **Vientos:** no se traducen los nombres de los vientos (haar, helm, roaring bull), en redonda, sin nota.
- Medidas: se convierten a métrico salvo en cita.
- Las citas de otros libros, con la traducción publicada si la hay.
- ~~Tidewrack: «resaca».~~ ver decisiones

## 2. Decisiones

1. *Orchard* en el título: «huerta», no «huerto» (la autora prefiere el plural que suena dentro).
2. *Tidewrack*: desde el 9 de mayo «arribazón», ya no «resaca», que en América es otra cosa. Cambiar hacia atrás en los ensayos 2, 5 y 8.
3. *The Levels*: se queda en inglés.
4. Poemas: traducción propia, el original en nota.
5. ~~Notas al pie, máximo dos por página.~~ (ver correo de Pilar, sección 7)

## 3. Estado por ensayo

- [x] 1 El grifo
- [x] 2 Inventario de una orilla
- [x] 3 Anguilas
- [x] 4 La maestra de Fenny
- [x] 5 Sal gorda
- [x] 6 Dos molinos
- [x] 7 Lo que el agua se deja
- [x] 8 Contra el paisaje
- [ ] 9 Un siglo de compuertas — **en curso**; segunda vuelta hecha hasta el § 13, faltan los §§ 14 a 22
- [ ] 10 Ostreros — primera vuelta hecha; faltan las notas del ensayo 10 (van inmediatamente después del 9)
- [ ] 11 Canción para una ciénaga — primera vuelta hecha
- [ ] 12 La abuela en el dique — primera vuelta hecha
- [ ] 13 Turba
- [ ] 14 Salir

## 4. Glosario

| n | inglés | español | dónde | estado |
|---|---|---|---|---|
${glosario}

## 5. Diario

${diario}

**20/05** He perdido la mañana con un archivo. e09_v3.docx salió de la exportación sin las cursivas, todos los nombres de barcos en redonda. No hay manera de recuperarlas; sigo sobre e09_v2.docx, que está entero, y repito los cambios de ayer (eran ocho comas).

**21/05** La autora contesta por fin lo de las fechas: «the grandmother died in 1953; 1935 is my typo, please fix». O sea, en el ensayo 12, 1953 en las dos menciones, y la edad deja de chirriar.

## 6. Revisión del ensayo 8 (cerrada)

${revision(404, 46)}

## 6 bis. Revisión del ensayo 9 (abierta)

${revision(405, 13)}
- [ ] § 14: la lista de compuertas; ¿mantener los nombres de los ingenieros?
- [ ] § 15 a 22: sin empezar

## 7. Correos

**De Joaquín, 12/05:** Te devuelvo el 7 y el 8. Poca cosa. En el 8 sobra un «paisaje» cada dos líneas, pero lo hace ella.

**A la agencia (Remedios), 13/05:** Buenos días, solicitamos permiso para reproducir el poema completo en el ensayo 11, tirada de 3.000 ejemplares, América Latina. *Sin respuesta. Reclamar. Si no llega antes de galeradas, se parafrasea el poema y ya está.*

**De Pilar, 22/05:** Hola. Acabo de hablar con producción. El libro no puede pasar de 320 páginas, y con las notas donde están nos vamos a 338. Decidido: las notas al pie pasan todas al final del libro, numeración corrida por ensayo. No cortes texto, solo mueve. ¿Cómo vas con el 9? Un abrazo.
`,
  },
};
