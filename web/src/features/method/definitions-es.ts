import type { Definition } from "./definition.ts";

export const DEFINITIONS_ES: readonly Definition[] = [
  {
    name: "Qué se mide",
    body: "Si una posición de cierto tamaño se puede vender ahora y cuánto se perdería. Cuentan todos los pools del token contra SOL, un dólar estable u otro token que se venda por SOL, y su curva de lanzamiento. Lo que no cotiza en SOL da más saltos hasta él.",
    formula:
      "pools de los programas de la página de estado; USDC, USDT y USD1 siguen por su pool de SOL más profundo, otro token por su mejor ruta",
  },
  {
    name: "Precio medio",
    body: "El precio antes de comisiones: el que queda en medio de los precios de todas las rutas, donde cada una cuenta tanto como paga cerca del mercado. Con un solo pool es el de ese pool. Ni una oferta lejana, por grande que sea, ni un pool minúsculo lo mueven.",
    formula:
      "mediana de los precios spot de las rutas, ponderada por W (entre dos valores, el mayor); W es el SOL que paga una ruta antes de que su precio tras comisiones baje de 0,9 b; b es el precio tras comisiones al que las mejores ofertas han pagado 0,5 SOL, o una décima parte de lo que paga la ruta más profunda hasta que su precio cae a la mitad, si es menos",
  },
  {
    name: "Posición",
    body: "Un tamaño de S SOL son las unidades del token que valdrían S al precio medio.",
    formula: "unidades = ⌊ S / precio medio ⌋, como cociente exacto de enteros",
  },
  {
    name: "Pierdes (deslizamiento)",
    body: "Lo que se pierde al vender la posición entera: comisiones de los pools y del propio token incluidas, las de la red aparte. «Sin salida» significa que no se puede vender entera a ningún precio.",
    formula: "100 · (1 − cobrado / S), redondeado hacia arriba a 4 decimales, nunca bajo 0",
  },
  {
    name: "Una ruta o repartida",
    body: "Con una ruta se vende todo por la mejor (en la API: retail). Repartida se divide entre todas las rutas para cobrar lo máximo, y nunca cobra menos que la mejor ruta sola (en la API: pro).",
    formula: "reparto por precios marginales, y luego cobro exacto ruta a ruta",
  },
  {
    name: "Mayor tamaño habitual (en la API: exit_max_sol)",
    body: "El mayor de los tamaños habituales (0,5, 1, 2, 5, 10 y 50 SOL) que se vende perdiendo menos del 10 %. Cero quiere decir que no lo logra ninguno.",
    formula: "máx { s habitual : deslizamiento(s) < 10 % }",
  },
  {
    name: "Sacable en total (profundidad)",
    body: "Los SOL que los vendedores aún podrían sacar de todos los pools juntos, hasta precio cero.",
    formula: "Σ reservas de cobro alcanzables vendiendo; los estables, a su precio",
  },
  {
    name: "Salida al 10 % (capacidad, C10)",
    body: "La mayor posición que todavía se vende, repartida entre todas las rutas, perdiendo como mucho un 10 %. Significa lo mismo en cualquier tipo de pool; por eso la historia, la tendencia y las alertas se calculan con ella.",
    formula: "máx { S ≤ 1000 : deslizamiento(S) ≤ 10 % }, repartida",
  },
  {
    name: "Puntuación",
    body: "De 0 a 100. Cada tamaño cuenta según su peso; lo que no se puede vender cuenta cero. Con una ruta pesan de 0,5 a 5 SOL; repartida, de 1 a 50.",
    formula:
      "100 · Σ w(s) / (1 + (deslizamiento(s) / 10)²); una ruta 0,5: 0,30, 1: 0,30, 2: 0,25, 5: 0,15; repartida 1: 0,10, 2: 0,15, 5: 0,25, 10: 0,30, 50: 0,20",
  },
  {
    name: "Fase",
    body: "En la curva: lo vende la curva de su lanzamiento. Migrando: la curva está completa y su pool aún no abre. Graduado: salió de una curva a un pool. En pools: sus pools no vienen de ninguna curva conocida.",
    formula: "según las cuentas de la curva y los pools en la cadena",
  },
  {
    name: "Cuándo no se puede saber",
    body: "Si faltan datos de más de la mitad del dinero, si el estado tiene más de 10 minutos, si todo está en pausa o migrando, o si el token no se puede transferir, no hay números: se dice que no se sabe.",
    formula:
      "pools sin precio > 50 % del cobro, edad > 10 min, todos en pausa o sin abrir, curva completa sin pool, búsqueda incompleta y vacía, o token intransferible",
  },
  {
    name: "Confianza",
    body: "Empieza en alta y la baja el peor hallazgo: datos viejos, pools sin leer, búsqueda incompleta, autoridades peligrosas o un modelo que dejó de acertar. El aviso dice cuál es.",
    formula:
      "media: edad > 30 s, familia «otro», > 10 % sin precio, menos de 5 min de historia, pools que discrepan > 3 %, autoridad de congelación; baja: edad > 120 s, ganchos o delegado permanente, reservas reescribibles, menos del 99 % de aciertos en la última hora",
  },
  {
    name: "Tendencia",
    body: "La pendiente de la capacidad en los últimos 30 minutos, solo si es mayor que el ruido.",
    formula:
      "Theil–Sen sobre log C10; |pendiente| ≥ 10 %/h y cambio ≥ 1,96 · √Σ(cambios de un minuto)²",
  },
  {
    name: "Alerta de deterioro",
    body: "Salta cuando la capacidad cae un 30 % en un minuto, cuando una retirada de liquidez la corta un 20 %, cuando las retiradas de un día se llevan la mitad, o cuando cae poco a poco más de lo normal. Se apaga al recuperarse, o a la media hora sin nuevos mínimos. Una migración nunca cuenta, y un hueco en los datos solo si tras él falta más de la mitad.",
    formula:
      "salto en 60 s, retirada en un slot, mitad retirada en 24 h, suma acumulada (CUSUM) sobre log C10, o menos de la mitad tras un hueco; se apaga al 80 % del nivel anterior",
  },
  {
    name: "Avisos de seguimiento",
    body: "Avisamos cuando salta la alerta de un token que sigues, cuando el deslizamiento a tu propio tamaño pasa del 10 % o deja de haber salida, y cuando la respuesta sigue desconocida más de un minuto. Un aviso por causa, y otro solo cuando el anterior se haya apagado.",
    formula: "se enciende en 10 %, se apaga por debajo de 8 %; desconocida durante 60 s",
  },
  {
    name: "Exactitud en vivo",
    body: "Cada intercambio visto en un pool seguido se recalcula sobre el estado anterior. La parte que coincide hasta la última unidad se publica por programa en la página de estado.",
    formula: "100 · exactos / recalculados, por programa y periodo",
  },
];
