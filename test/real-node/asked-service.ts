import type { Address } from "#src/units/address.ts";

export type SaleAnswer = {
  readonly state: string;
  readonly reason: string | null;
  readonly net_lamports: string | null;
  readonly routes: readonly {
    readonly legs: readonly {
      readonly program: string;
      readonly input_mint: string;
      readonly instruction: string | null;
    }[];
  }[];
};

export type TokenAnswer = {
  readonly state: string;
  readonly fase: string;
  readonly alerta_deterioro: boolean;
  readonly aviso: string | null;
};

const DECIMALS = 1_000_000n;

/** Asks a service over HTTP, as many callers: the free queries of one address are few. */
export class AskedService {
  readonly #url: string;
  #callers = 0;

  constructor(url: string) {
    this.#url = url;
  }

  /** What the sale pays, by an answer that contains every notification sent before. */
  async sale(mint: Address, baseUnits: bigint): Promise<SaleAnswer> {
    // What the service received before this request is handled when its answer is here.
    await fetch(`${this.#url}/api/status`);
    const fraction = String(baseUnits % DECIMALS).padStart(6, "0");
    const path = `/at?unit=token&size=${baseUnits / DECIMALS}.${fraction}`;
    return this.#read<SaleAnswer>(mint, path);
  }

  token(mint: Address): Promise<TokenAnswer> {
    return this.#read<TokenAnswer>(mint, "");
  }

  async #read<T>(mint: Address, path: string): Promise<T> {
    const number = ++this.#callers;
    const caller = `10.${number >> 16}.${(number >> 8) & 255}.${number & 255}`;
    const response = await fetch(`${this.#url}/api/token/${mint}/exitability${path}`, {
      headers: { "x-forwarded-for": caller, "accept-language": "en" },
    });
    const text = await response.text();
    if (response.status !== 200) throw new Error(`${response.status}: ${text}`);
    return JSON.parse(text);
  }
}
