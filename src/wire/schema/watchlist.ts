import Type from "typebox";
import { AddressText, NullableNumber, nullable, Timestamp } from "./value.ts";

/** An entry and what is known of its token, at the entry's own size (contract.md section 5). */
export const WatchlistItem = Type.Object(
  {
    id: Type.Integer(),
    user_id: Type.String({ format: "uuid" }),
    mint: AddressText,
    size_sol: Type.Number(),
    alerts_enabled: Type.Boolean(),
    created_at: Timestamp,
    exitability: Type.Object({
      state: nullable(Type.Enum(["ok", "bloqueado_dato", "bloqueado_tamano_amm", "not_found"])),
      score: NullableNumber,
      depth_sol: NullableNumber,
      exit_max_sol: NullableNumber,
      slippage_pct: NullableNumber,
      trend: nullable(Type.Enum(["improving", "stable", "deteriorating"])),
      alerta_deterioro: nullable(Type.Boolean()),
      confianza: nullable(Type.Enum(["alta", "media", "baja"])),
      calidad_dato: nullable(Type.Enum(["suficiente", "insuficiente"])),
      updated_at: nullable(Timestamp),
      token_name: nullable(Type.String()),
      token_symbol: nullable(Type.String()),
    }),
  },
  { $id: "WatchlistItem" },
);

const size = Type.Number({ minimum: 0.01, maximum: 1000 });

export const WatchlistAddition = Type.Object({ mint: AddressText, size_sol: Type.Optional(size) });

export const WatchlistChange = Type.Object(
  {
    id: Type.Integer({ minimum: -9007199254740991, maximum: 9007199254740991 }),
    size_sol: Type.Optional(size),
    alerts_enabled: Type.Optional(Type.Boolean()),
  },
  { anyOf: [{ required: ["size_sol"] }, { required: ["alerts_enabled"] }] },
);
