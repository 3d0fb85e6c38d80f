/** The words of the alerts' page. */
export const alertsEs = {
  title: "Alertas",
  mailAsk: "Los avisos de tu seguimiento aún no se envían a ninguna parte.",
  mailAgree: (email: string) => `Enviarlos a ${email}`,
  mailAgreed: (email: string) => `Los avisos se envían a ${email}.`,
  lead: "Lo que pasó, por qué y qué habría costado esperar.",
  needSession: "Entra para ver tus alertas.",
  feed: "Avisos recibidos",
  empty: "Todavía no hay alertas.",
  events: {
    deterioration: "el token se deteriora",
    slippage: "tu salida pasa del 10\u00a0%",
    "no-exit": "tu posición no tiene salida",
    blocked: "tu salida se desconoce por ahora",
  },
  grade: "30 minutos después",
  worse: (pct: string) => `esperar habría costado ${pct} más`,
  worseUnknown: "la salida seguía peor; no se sabe qué habría costado esperar",
  notWorse: "esperar no habría empeorado la salida",
  ungraded: "sin comprobar",
  channelsTitle: "Canales de entrega",
  channelsLead: "El aviso en esta página está siempre activo.",
  kinds: {
    email: "Correo",
    webhook: "Webhook firmado",
    telegram: "Telegram",
    push: "Notificaciones del navegador",
  },
  targets: {
    email: "Dirección de correo",
    webhook: "URL https que recibirá los avisos",
    telegram: "El número de tu chat de Telegram",
    push: "",
  },
  push: {
    title: "Notificaciones en este navegador",
    lead: "Una notificación por cada alerta, aunque no haya ninguna página de Exitability abierta.",
    on: "Avisarme aquí",
    off: "Dejar de avisarme aquí",
    isOn: "Activas: las alertas aparecen como notificaciones de este navegador.",
    waiting: "Esperando la primera notificación, que confirma que llegan…",
    denied:
      "Este navegador bloquea las notificaciones de este sitio. Permítelas en sus ajustes y vuelve a intentarlo.",
    unreachable:
      "Este navegador no ha podido llegar a su servicio de notificaciones. Prueba más tarde.",
    unsupported:
      "Este navegador no puede recibir notificaciones. En un iPhone, añade antes esta página a la pantalla de inicio.",
    unset:
      "Este servicio no envía notificaciones a navegadores. El correo y los webhooks funcionan.",
  },
  refusals: {
    url: "Esto no es una URL.",
    https: "La URL de un webhook empieza por https://.",
    user: "La URL de un webhook no lleva usuario ni contraseña; sus llamadas van firmadas.",
    host: "El nombre del servidor no se encuentra, o tiene una dirección a la que los webhooks no pueden llegar.",
    chat: "El destino de Telegram es el número de un chat.",
  },
  kind: "Tipo de canal",
  add: "Añadir canal",
  states: { pending: "por verificar", verified: "verificado", failing: "con fallos" },
  enabled: "Activo",
  test: "Probar",
  tested: "Enviado.",
  codeAgain: "Enviar otro código",
  verify: "Verificar",
  code: "Código de verificación",
  codeRefused: "Ese código está mal, ya se usó o ha caducado. Pide otro.",
  secret: "Secreto de firma; se muestra una sola vez",
  lastError: "Último error",
  deadTitle: "No entregados",
};

export type AlertsText = typeof alertsEs;
