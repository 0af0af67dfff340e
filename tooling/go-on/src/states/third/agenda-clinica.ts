import type { WorkingState } from "../../working-state.ts";
import { many } from "../../filler.ts";

interface Fila {
  readonly fila: number;
  readonly paciente: string;
  readonly servicio: string;
  readonly profesional: string;
  readonly sala: string;
  readonly fecha: string;
  readonly hora: string;
  readonly estado: string;
  readonly nueva: string;
  readonly comentario: string;
}

const relleno: Fila[] = many(401, 168, (i, pick, whole) => {
  const estado = pick(["confirmada", "confirmada", "movida y confirmada", "avisada", "anulada por paciente", "sin cambios"]);
  const movida = estado === "movida y confirmada" || estado === "avisada";
  return {
    fila: i + 2,
    paciente: `${pick(["Lucía", "Andrés", "Carmen", "Julián", "Elena", "Pablo", "Nuria", "Óscar", "Inés", "Marcos"])} ${pick(["A.", "B.", "C.", "F.", "G.", "M.", "P.", "R.", "S."])}`,
    servicio: pick(["Dermatología", "Fisioterapia", "Ginecología", "Traumatología", "Nutrición", "Podología"]),
    profesional: pick(["Dra. Ledesma", "Iván", "Dr. Sanchís", "Dra. Oller", "Berta"]),
    sala: pick(["1", "2", "3", "4"]),
    fecha: `${String(17 + whole(5))}/11`,
    hora: `${String(9 + whole(9)).padStart(2, "0")}:${pick(["00", "20", "40"])}`,
    estado,
    nueva: movida ? `${String(24 + whole(5))}/11 ${String(9 + whole(9)).padStart(2, "0")}:${pick(["00", "20", "40"])}` : "",
    comentario: pick([
      "",
      "",
      "",
      "ok por teléfono",
      "prefiere tardes",
      "viene con su madre",
      "trae informe anterior",
      "no coge, reintentar",
      "pagó señal",
      "mutua pendiente de autorizar",
      "pide recordatorio",
    ]),
  };
});

const especiales: Readonly<Record<number, Partial<Fila>>> = {
  52: {
    paciente: "Elena P.",
    servicio: "Fisioterapia",
    profesional: "Iván",
    sala: "4",
    fecha: "19/11",
    hora: "11:20",
    estado: "CONFLICTO",
    nueva: "",
    comentario: "misma sala y hora que la fila 118, se dio dos veces; Elena venía primero, se queda",
  },
  63: {
    paciente: "Tomás V.",
    servicio: "Traumatología",
    profesional: "Dr. Sanchís",
    sala: "2",
    fecha: "18/11",
    hora: "10:00",
    estado: "pendiente de avisar",
    nueva: "",
    comentario: "a don Tomás NO llamarle nunca a él, se angustia; sólo a su hija Pilar, por la tarde",
  },
  87: {
    paciente: "Rosario G.",
    servicio: "Dermatología",
    profesional: "Dra. Ledesma",
    sala: "2",
    fecha: "17/11",
    hora: "12:40",
    estado: "propuesta, falta confirmar",
    nueva: "24/11 10:40",
    comentario: "guardado el hueco hasta el jueves, luego se libera solo",
  },
  118: {
    paciente: "Marcos F.",
    servicio: "Fisioterapia",
    profesional: "Iván",
    sala: "4",
    fecha: "19/11",
    hora: "11:20",
    estado: "CONFLICTO",
    nueva: "",
    comentario: "duplicada con fila 52, buscarle otra hora el mismo día",
  },
  141: {
    paciente: "Nuria S.",
    servicio: "TAC con contraste",
    profesional: "externo",
    sala: "-",
    fecha: "21/11",
    hora: "08:40",
    estado: "movida y confirmada",
    nueva: "26/11 08:40",
    comentario: "contraste: creatinina de menos de 3 meses, la suya es de junio, pedirle analítica nueva antes del 26",
  },
};

const filas: Fila[] = relleno.map((f) => ({ ...f, ...especiales[f.fila] }));

/** The state of a scheduling agent of a small clinic that has to empty one room for a week, stopped among conflicts and pending calls. */
export const state: WorkingState = {
  name: "agenda-clinica",
  language: "es",
  kind: "sheet of appointment rows with status and comments; Spanish, clinic",
  focus: "resolver conflicto y terminar de avisar pacientes",
  human:
    "Objetivo: vaciar la sala 2 de la Clínica Alameda del 17 al 21 de noviembre (obras del suelo) y recolocar las 38 citas antes del viernes 14. Nunca mover curas ni a pacientes de oncología. No llamar nunca a don Tomás (fila 63), sólo a su hija Pilar. Decidido: fisioterapia pasa a la sala 4 con Iván; los demás, a la semana del 24 con el mismo profesional. Error: filas 52 y 118 tienen la misma hora, sala 4 el 19/11 a las 11:20; Elena se queda, mover a Marcos. Siguiente: confirmar a Rosario (fila 87) el 24/11 a las 10:40, y luego mandar la plantilla REPROG-2 a las movidas. Falta: pasar la lista de anuladas a facturación para devolver señales. Nuria (fila 141): analítica con creatinina de menos de 3 meses. Último aviso de Maite: el jueves 20 de 12 a 14 viene el técnico del ecógrafo, nada de ecografías.",
  questions: [
    { kind: "goal", q: "¿Qué hay que conseguir y para cuándo?", answer: ["sala 2", "38 citas", "viernes 14"] },
    {
      kind: "prohibition",
      q: "¿Qué citas no se mueven?",
      answer: ["(?:[Nn]unca|[Nn]o|NO)\\b[\\s\\S]{0,80}?oncolog|oncolog[\\s\\S]{0,80}?(?:nunca|no se|NO)"],
    },
    {
      kind: "prohibition",
      q: "¿A quién no se llama y a quién en su lugar?",
      answer: [
        "(?:[Nn]unca|[Nn]o|NO) (?:se )?(?:le )?llam[\\s\\S]{0,40}?Tomás|Tomás[\\s\\S]{0,30}?(?:nunca|NO|no) (?:se )?(?:le )?llam",
        "Pilar",
      ],
    },
    { kind: "decision", q: "¿Adónde va fisioterapia?", answer: ["[Ff]isioterapia[\\s\\S]{0,80}?sala 4[\\s\\S]{0,20}?Iván"] },
    { kind: "error", q: "¿Qué conflicto hay?", answer: ["52[\\s\\S]{0,200}?118|118[\\s\\S]{0,200}?52", "19/11", "11:20"] },
    { kind: "next", q: "¿A quién hay que confirmar y qué hueco?", answer: ["Rosario", "24/11[\\s\\S]{0,12}?10:40"] },
    { kind: "next", q: "¿Qué plantilla se manda?", answer: ["REPROG-2"] },
    {
      kind: "todo",
      q: "¿Qué hay que pasar a facturación?",
      answer: ["anuladas[\\s\\S]{0,80}?facturación|facturación[\\s\\S]{0,80}?anuladas", "(?:devol|devuel)\\w+[\\s\\S]{0,20}?señal"],
    },
    { kind: "fact", q: "¿Qué necesita Nuria antes de su prueba?", answer: ["creatinina[\\s\\S]{0,60}?3 meses"] },
    {
      kind: "recent",
      q: "¿Qué avisó Maite al final?",
      answer: ["jueves 20[\\s\\S]{0,120}?ec[oó]gr|ec[oó]gr[\\s\\S]{0,120}?jueves 20", "12[\\s\\S]{0,6}?14"],
    },
  ],
  context: {
    libro: "agenda_noviembre_v7",
    abierto_por: "asistente-citas",
    portada: {
      titulo: "Clínica Alameda - recolocación por obras",
      encargo:
        "Vaciar la sala 2 del 17 al 21 de noviembre, cambian el suelo. Son 38 citas. Todo recolocado y avisado antes del viernes 14.",
      pidio: "Gerencia (Amparo)",
      leyenda: { confirmada: "verde", avisada: "amarillo", CONFLICTO: "rojo", "pendiente de avisar": "naranja", "sin cambios": "blanco" },
      contadores: { total: 38, movidas: 29, faltan: 6, anuladas: 3 },
    },
    hojas: [
      {
        nombre: "Semana 17-21",
        columnas: ["fila", "paciente", "servicio", "profesional", "sala", "fecha", "hora", "estado", "nueva", "comentario"],
        filas,
      },
      {
        nombre: "Reglas",
        filas: [
          { n: 1, regla: "SMS sólo entre las 9:00 y las 20:00", vigente: "sí", origen: "recepción" },
          {
            n: 2,
            regla: "Todo lo de sala 2 pasa a la sala 3 por las tardes",
            vigente: "no",
            origen: "borrador, descartado: la 3 no tiene lavabo",
          },
          {
            n: 3,
            regla: "Fisioterapia pasa a la sala 4 con Iván; el resto, a la semana del 24 con el mismo profesional",
            vigente: "sí",
            origen: "Amparo y Dra. Ledesma, 5/11",
          },
          {
            n: 4,
            regla: "Curas y pacientes de oncología: no se mueven nunca. Si caen en sala 2, se atienden en la 1 a la misma hora",
            vigente: "sí",
            origen: "Dra. Oller",
          },
          { n: 5, regla: "Un hueco propuesto se guarda hasta el jueves", vigente: "sí", origen: "recepción" },
          { n: 6, regla: "A quien se mueve más de 7 días se le ofrece lista de espera", vigente: "sí", origen: "gerencia" },
        ],
      },
      {
        nombre: "Huecos semana 24",
        filas: many(402, 60, (i, pick, whole) => ({
          fila: i + 2,
          profesional: pick(["Dra. Ledesma", "Dr. Sanchís", "Dra. Oller", "Berta"]),
          fecha: `${24 + whole(5)}/11`,
          hora: `${String(9 + whole(9)).padStart(2, "0")}:${pick(["00", "20"])}`,
          libre: pick(["libre", "libre", "ocupado", "reservado"]),
        })),
      },
      {
        nombre: "Tareas",
        filas: [
          { tarea: "listar las citas de sala 2", estado: "hecha", nota: "" },
          { tarea: "mover fisioterapia", estado: "hecha", nota: "salvo el choque de las filas 52 y 118" },
          {
            tarea: "confirmar con Rosario (fila 87)",
            estado: "EN CURSO",
            nota: "llamada 1 sin respuesta, dejar propuesta 24/11 10:40 y volver a llamar mañana a partir de las 9:30",
          },
          { tarea: "mandar SMS a las movidas", estado: "después", nota: "con la plantilla REPROG-2; la REPROG-1 lleva el teléfono viejo" },
          { tarea: "pasar la lista de anuladas a facturación para que devuelvan la señal", estado: "pendiente", nota: "son 3" },
          { tarea: "cartel en la puerta", estado: "hecha", nota: "lo puso Maite" },
        ],
      },
    ],
    historial_cambios: many(
      403,
      90,
      (i, pick, whole) =>
        `${String(5 + Math.floor(i / 25)).padStart(2, "0")}/11 ${String(9 + whole(9)).padStart(2, "0")}:${String(whole(60)).padStart(2, "0")} celda ${pick(["G", "H", "I", "J"])}${whole(168) + 2}: ${pick(["'' -> 'avisada'", "'avisada' -> 'movida y confirmada'", "'confirmada' -> 'anulada por paciente'", "hora corregida", "comentario añadido"])}`,
    ),
    mensajes: [
      { de: "Amparo", hora: "10:02", texto: "cómo vamos? me dicen del suelo que el lunes a las 8 entran sí o sí" },
      { de: "asistente", hora: "10:03", texto: "29 de 38 movidas. Faltan 6 y hay un choque en fisioterapia (19/11, sala 4)." },
      {
        de: "Maite",
        hora: "12:31",
        texto: "oye que el jueves 20 de 12 a 14 viene el técnico del ecógrafo, no pongáis ecografías en ese rato",
      },
      { de: "asistente", hora: "12:31", texto: "Anotado." },
    ],
    guardado: "2025-11-07T12:40:00+01:00",
  },
};
