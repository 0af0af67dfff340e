import type { WorkingState } from "../../working-state.ts";
import { many } from "../../filler.ts";

function lecturas(seed: number, count: number): string {
  return [
    "contenedor;fecha;hora;temp_c;humedad;posicion;alarma",
    ...many(
      seed,
      count,
      (index, pick, whole) =>
        `${pick(["MXLU 2204415", "MXLU 2204420", "MXLU 2207731", "MXLU 2207746", "MXLU 2209902", "MXLU 2209918"])};2025-11-0${1 + Math.floor(index / 90)};${String(index % 24).padStart(2, "0")}:${String(whole(60)).padStart(2, "0")};${(4 + whole(20) / 10).toFixed(1).replace(".", ",")};${84 + whole(9)};${pick(["patio 3 fila 12", "patio 3 fila 14", "muelle este", "a bordo", "a bordo"])};${pick(["no", "no", "no", "puerta"])}`,
    ),
  ].join("\n");
}

const hilo = `De: Rocío (compras)
Para: tráfico
Fecha: lun, 27 oct 2025 09:14
Asunto: 6 reefers de aguacate, Manzanillo - Algeciras

Hola equipo:
como os dije por teléfono, son seis contenedores de aguacate Hass y tienen que estar entregados en Mercamadrid antes del domingo 9 de noviembre, que el lunes empieza la promoción del cliente. La fruta viaja a 5,5 °C, ni medio grado menos, que se quema por frío.
Un beso, Rocío

> De: tráfico
> Perfecto. Pido precio a Translevante y a Portes Cano, como siempre.

De: Rocío (compras)
Fecha: lun, 27 oct 2025 11:40
Asunto: RE: 6 reefers de aguacate

NO. Con Translevante no se contrata nada, nada de nada, mientras dure el pleito por la mercancía de agosto. Lo dijo dirección. Cano me vale.

De: Iker (Portes Cano)
Fecha: mar, 28 oct 2025 16:05
Asunto: RE: RE: 6 reefers de aguacate

Buenas. Podemos con los seis por carretera, 1.340 euros cada uno, gasoil incluido. Si me confirmáis antes del jueves. Saludos, Iker

De: tráfico
Fecha: jue, 30 oct 2025 10:21
Asunto: RE: 6 reefers de aguacate

Hablado con Rocío y con Iker: al final cuatro van en tren (salida de Algeciras el jueves 6 a las 21:30) y dos por carretera con Cano. Los seis por carretera era el plan viejo; Cano sólo tiene dos cabezas con toma de frío esa semana. Reservado el tren, ref. FR-88213.

De: Agencia de aduanas Estrecho
Fecha: dom, 2 nov 2025 20:02
Asunto: Expediente 25ES-1174, inspección

Estimados señores:
Les informamos de que el contenedor MXLU 2207731 ha sido seleccionado para inspección fitosanitaria. Los restantes cinco siguen su curso. Rogamos nos remitan el certificado fitosanitario original y el conocimiento de embarque.
Atentamente

De: tráfico
Fecha: lun, 3 nov 2025 08:30
Asunto: RE: Expediente 25ES-1174, inspección

Adjunto certificado. El cliente ya pregunta día y hora.

De: Rocío (compras)
Fecha: lun, 3 nov 2025 08:52
Asunto: RE: RE: Expediente 25ES-1174

Al cliente no se le da fecha de entrega hasta que aduana libere los seis. La última vez dijimos un día y nos cobraron penalización. Si llaman, que estamos en plazo y punto.

De: Agencia de aduanas Estrecho
Fecha: mar, 4 nov 2025 13:17
Asunto: RE: Expediente 25ES-1174, inspección - DISCREPANCIA

Estimados señores:
El precinto físico del contenedor MXLU 2207731 es el ML-559042, mientras que en el conocimiento de embarque figura ML-559024 (parece baile de cifras). Mientras la naviera no emita la corrección del BL, el inspector no abre y el expediente queda parado. El plazo para presentarla termina el miércoles 5 a las 14:00.
Atentamente

De: Nerea (naviera)
Fecha: mar, 4 nov 2025 15:48
Asunto: RE: corrección BL

hola! para corregir el BL necesito carta de garantía firmada y la foto del precinto, me lo mandas a docs y lo saco en el dia. el cargo son 75 eur

De: Rocío (compras)
Fecha: mar, 4 nov 2025 18:33
Asunto: muelle Mercamadrid

Última cosa de hoy: me dicen de Mercamadrid que el muelle 14 está en obras, que descarguemos en el 22, y que hay que reservar la franja con 48 horas. Mañana te llamo. R.
`;

/** A traffic clerk's folder on six refrigerated containers, stopped when customs found a wrong seal number. */
export const state: WorkingState = {
  name: "contenedores-aguacate",
  language: "es",
  kind: "mail thread as raw text plus CSV text; Spanish",
  focus: "desbloquear la aduana y organizar la descarga",
  human:
    "Seis contenedores de aguacate, entregados en Mercamadrid antes del domingo 9 de noviembre. Con Translevante no se contrata nada (pleito). Al cliente no se le da fecha de entrega hasta que aduana libere los seis. Decidido: cuatro en tren (jueves 6, 21:30, ref. FR-88213) y dos por carretera con Cano; el plan de seis por carretera es viejo. Problema: precinto de MXLU 2207731: físico ML-559042, en el BL ML-559024; aduana parada hasta la corrección, plazo miércoles 5 a las 14:00. Siguiente: mandar a Nerea (naviera) carta de garantía firmada y foto del precinto, 75 euros. Después reservar franja en Mercamadrid con 48 horas; último de Rocío: muelle 22, el 14 está en obras. Pendiente: enchufe de frío en la terminal del tren sin confirmar. Temperatura 5,5 °C, ni medio grado menos.",
  questions: [
    {
      q: "¿Qué hay que entregar, dónde y cuándo?",
      answer: ["[Ss]eis contenedores", "Mercamadrid antes del domingo 9 de noviembre"],
      kind: "goal",
    },
    {
      q: "¿Con quién no se puede contratar?",
      answer: ["Translevante[\\s\\S]{0,20}?no se contrata|(?:no|NO|nada)[\\s\\S]{0,40}?contrat[\\s\\S]{0,30}?Translevante"],
      kind: "prohibition",
    },
    {
      q: "¿Qué no se le dice al cliente?",
      answer: ["(?:no|No|NO)[\\s\\S]{0,20}?(?:da|dar|decir)[\\s\\S]{0,12}?fecha[\\s\\S]{0,80}?aduana"],
      kind: "prohibition",
    },
    { q: "¿Cómo se reparte el transporte?", answer: ["cuatro[\\s\\S]{0,20}?tren", "dos por carretera"], kind: "decision" },
    { q: "¿Cuál es la discrepancia?", answer: ["ML-559042", "ML-559024"], kind: "error" },
    { q: "¿Qué hay que mandar a la naviera?", answer: ["carta de garantía[\\s\\S]{0,40}?foto del precinto"], kind: "next" },
    { q: "¿Hasta cuándo hay plazo en aduana?", answer: ["miércoles 5 a las 14:00"], kind: "next" },
    { q: "¿En qué muelle se descarga, según Rocío?", answer: ["obras[\\s\\S]{0,40}?22|22[\\s\\S]{0,40}?obras"], kind: "recent" },
    { q: "¿Qué queda pendiente para el tren?", answer: ["enchufe[\\s\\S]{0,80}?(?:sin confirmar|confirmar)"], kind: "todo" },
    { q: "¿A qué temperatura viaja?", answer: ["5,5 °C"], kind: "fact" },
  ],
  context: {
    expediente: "25ES-1174",
    buzon: "trafico",
    hilo,
    adjuntos: ["fito_MX_88120.pdf", "BL_borrador.pdf", "foto_precinto_2207731.jpg", "tarifa_cano_oct.xlsx"],
    lecturas_csv: lecturas(601, 330),
    costes_csv: [
      "concepto;importe;factura;estado",
      ...many(
        602,
        70,
        (_i, pick, whole) =>
          `${pick(["flete", "THC", "conexión reefer", "despacho", "peaje", "demora", "seguro", "pesaje"])};${20 + whole(2900)},${String(whole(100)).padStart(2, "0")};${2025000 + whole(900)};${pick(["pagada", "pagada", "prevista", "reclamada"])}`,
      ),
    ].join("\n"),
    apuntes: [
      "hecho: seguro ampliado, fito enviado, tren reservado",
      "hecho: pedir a Cano dos cabezas para el viernes 7",
      "PENDIENTE tren: enchufe de frío en la terminal sin confirmar, llamar a Amparo por la mañana",
      "el cliente llamó dos veces (lunes y martes), contestado que vamos en plazo",
    ],
    historico: many(603, 110, (index, pick, whole) => ({
      n: index + 1,
      via: pick(["tel", "mail", "portal"]),
      con: pick(["terminal", "naviera", "aduana", "Cano", "almacén"]),
      que: pick([
        "consulta de posición",
        "copia de factura",
        "cambio de turno",
        "aviso de llegada",
        "petición de conexión",
        "acuse de recibo",
      ]),
      min: 1 + whole(18),
    })),
    guardado: "2025-11-04T18:51:00+01:00",
  },
};
