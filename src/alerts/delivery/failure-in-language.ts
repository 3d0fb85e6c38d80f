import type { ChannelLanguage } from "./alert-text.ts";

/** Each sentence with which a delivery fails, as its sender writes it, and what it says in Spanish. */
const SPANISH: readonly (readonly [RegExp, string])[] = [
  [/^It answered (\d+)\.$/, "Respondió $1."],
  [
    /^It answered (\d+): redirects are not followed\.$/,
    "Respondió $1: no se siguen redirecciones.",
  ],
  [/^It could not be reached: (\w+)\.$/, "No se pudo llegar a su dirección: $1."],
  [/^It did not answer in time\.$/, "No respondió a tiempo."],
  [/^It gave no HTTP answer\.$/, "No dio una respuesta HTTP."],
  [/^This is not a URL\.$/, "Esto no es una URL."],
  [/^A webhook's URL begins with https:/, "La URL de un webhook empieza por https:"],
  [
    /^A webhook's URL holds no user name or password; its calls are signed\.$/,
    "La URL de un webhook no lleva usuario ni contraseña; sus llamadas van firmadas.",
  ],
  [/^The host's name can't be resolved\.$/, "El nombre del servidor no se encuentra."],
  [
    /^The host's name can't be resolved in time\.$/,
    "El nombre del servidor no se encontró a tiempo.",
  ],
  [
    /^The host has an address that webhooks may not reach\.$/,
    "El servidor tiene una dirección a la que los webhooks no pueden llegar.",
  ],
  [/^There is no Telegram bot here\.$/, "Este servicio no tiene bot de Telegram."],
  [/^Telegram answered (\d+)\.$/, "Telegram respondió $1."],
  [/^Telegram could not be reached\.$/, "No se pudo llegar a Telegram."],
  [/^There are no push messages here\.$/, "Este servicio no envía notificaciones a navegadores."],
  [/^This browser no longer takes notifications\.$/, "Este navegador ya no recibe notificaciones."],
  [/^This is not an e-mail address\.$/, "Esto no es una dirección de correo."],
  [/^The mail server did not answer in time\.$/, "El servidor de correo no respondió a tiempo."],
  [/^The mail could not be sent\.$/, "El correo no se pudo enviar."],
  [
    /^the mail server refused the mail: (\w+)(?:, status (\d+))?$/,
    "el servidor de correo no aceptó el correo: $1 $2",
  ],
  [
    /^This receiver was sent a code recently; try again in a minute, or later\.$/,
    "A este destino se envió un código hace poco; prueba dentro de un minuto, o más tarde.",
  ],
  [
    /^Too many codes were mailed today; try again tomorrow\.$/,
    "Hoy se han enviado demasiados códigos por correo; prueba mañana.",
  ],
];

/** Why a delivery failed, in the reader's language: failures are stored and logged in English. */
export function failureInLanguage(error: string, language: ChannelLanguage): string {
  if (language === "en") return error;
  for (const [english, spanish] of SPANISH)
    if (english.test(error)) return error.replace(english, spanish).trim();
  return error;
}
