import { type Address, address } from "#src/units/address.ts";
import { TOKEN_2022_PROGRAM, WSOL } from "#src/units/known-addresses.ts";
import { findProgramAddress } from "#src/units/program-address.ts";
import { curveAddress } from "#src/venues/pump-curve/addresses.ts";
import { CURVE_FEE_CONFIG_ADDRESS, GLOBAL_ADDRESS } from "#src/venues/pump-curve/layout.ts";
import { poolAddress, poolAuthority } from "#src/venues/pumpswap/addresses.ts";
import { GLOBAL_CONFIG_ADDRESS } from "#src/venues/pumpswap/layout.ts";
import { associatedTokenAddress } from "#src/venues/shared/token/associated-token.ts";
import { readable, tokenProgramOf, writable } from "./common-instructions.ts";
import type { IdlProgram } from "./idl.ts";
import {
  BOOST_AUTHORITY,
  MAYHEM_PROGRAM,
  PAYER,
  type PumpAccounts,
  TRADER,
} from "./pump-accounts.ts";
import type { AccountMeta, Instruction } from "./transaction.ts";

/** A coin with its place in a chain. */
export type Coin = {
  readonly mint: Address;
  /** WSOL, or another coin. */
  readonly quoteMint: Address;
};

/** A hop of a sale along a chain: through the coin's curve, or through its canonical pool. */
export type Hop = { readonly coin: Coin; readonly isPool: boolean };

export type CoinTraits = { readonly creatorFeeBps?: bigint };

export function tokensOf(owner: Address, mint: Address): Address {
  return associatedTokenAddress(owner, mint, tokenProgramOf(mint));
}

/** The pool that the coin graduates to. */
export function canonicalPool({ mint, quoteMint }: Coin): Address {
  return poolAddress({ index: 0, creator: poolAuthority(mint), baseMint: mint, quoteMint });
}

/** The accounts that hold what the hop trades. */
export function venueOf({ coin, isPool }: Hop) {
  const venue = isPool ? canonicalPool(coin) : curveAddress(coin.mint);
  return {
    venue,
    baseVault: tokensOf(venue, coin.mint),
    quoteVault: tokensOf(venue, coin.quoteMint),
  };
}

/** Builds the instructions of pump's programs, with one trader who is also every coin's creator. */
export class PumpInstructions {
  readonly #accounts: PumpAccounts;

  constructor(accounts: PumpAccounts) {
    this.#accounts = accounts;
  }

  initVolumes(): readonly Instruction[] {
    const { pump, amm } = this.#accounts;
    const accounts = { payer: PAYER.address, user: TRADER.address };
    return [pump, amm].map((program) =>
      program.instruction("init_user_volume_accumulator", { accounts, args: [] }),
    );
  }

  /** @param quote the coin it is quoted in with those behind that, each where it trades; empty: SOL */
  create(
    name: string,
    mint: Address,
    { quote, creatorFeeBps = 0n }: CoinTraits & { readonly quote: readonly Hop[] },
  ): Instruction {
    const { pump } = this.#accounts;
    const user = TRADER.address;
    const solVault = findProgramAddress(["sol-vault"], MAYHEM_PROGRAM);
    const [first] = quote;
    const quoteAccounts =
      first === undefined
        ? []
        : [
            readable(first.coin.mint),
            writable(tokensOf(curveAddress(mint), first.coin.mint)),
            readable(TOKEN_2022_PROGRAM),
            readable(findProgramAddress(["quote-control"], pump.programId)),
            ...quote.flatMap(behind),
          ];
    return pump.instruction("create_v2", {
      accounts: { mint, user, mayhem_token_vault: tokensOf(solVault, mint) },
      args: [
        name,
        name.slice(0, 10),
        "https://example.com",
        user,
        false,
        false,
        creatorFeeBps,
        false,
      ],
      remaining: quoteAccounts,
    });
  }

  /** A trade of the coin on its curve by one of pump's instructions. */
  curveTrade(name: string, coin: Coin, args: readonly bigint[]): Instruction {
    return /_v[23]$/.test(name)
      ? this.#curveTradeWithQuote(name, coin, args)
      : this.#firstCurveTrade(name, coin, args);
  }

  #firstCurveTrade(name: string, { mint }: Coin, args: readonly bigint[]): Instruction {
    const { pump, curveFeeRecipient, curveBuyback } = this.#accounts;
    const user = TRADER.address;
    const second = findProgramAddress(["bonding-curve-v2", { address: mint }], pump.programId);
    return pump.instruction(name, {
      accounts: {
        "bonding_curve.creator": user,
        mint,
        user,
        fee_recipient: curveFeeRecipient,
        associated_user: tokensOf(user, mint),
        token_program: TOKEN_2022_PROGRAM,
      },
      args: [...args, ...(name.startsWith("buy") ? [true, true] : [])],
      remaining: [readable(second), writable(curveBuyback)],
    });
  }

  #curveTradeWithQuote(name: string, coin: Coin, args: readonly bigint[]): Instruction {
    const { mint, quoteMint } = coin;
    const { pump, curveFeeRecipient, curveBuyback } = this.#accounts;
    const user = TRADER.address;
    const isThird = name.endsWith("_v3");
    return pump.instruction(name, {
      accounts: {
        "bonding_curve.creator": user,
        user,
        base_mint: mint,
        quote_mint: quoteMint,
        base_token_program: TOKEN_2022_PROGRAM,
        quote_token_program: tokenProgramOf(quoteMint),
        fee_recipient: curveFeeRecipient,
        buyback_fee_recipient:
          isThird && quoteMint !== WSOL ? tokensOf(curveBuyback, quoteMint) : curveBuyback,
        associated_base_user: tokensOf(user, mint),
        associated_quote_user: tokensOf(user, quoteMint),
      },
      args: [...args, ...(name.startsWith("buy") ? [true] : [])],
    });
  }

  /** A trade of the coin in its canonical pool by one of pump_amm's instructions. */
  poolTrade(name: string, coin: Coin, args: readonly bigint[]): Instruction {
    const { amm, poolBuyback, poolFeeRecipient } = this.#accounts;
    const { mint, quoteMint } = coin;
    const user = TRADER.address;
    const isSecond = name.endsWith("_v2");
    const second = findProgramAddress(["pool-v2", { address: mint }], amm.programId);
    const buyback = tokensOf(poolBuyback, quoteMint);
    return amm.instruction(name, {
      accounts: {
        ...this.#poolAccounts(coin),
        user,
        global_config: GLOBAL_CONFIG_ADDRESS,
        user_base_token_account: tokensOf(user, mint),
        user_quote_token_account: tokensOf(user, quoteMint),
        protocol_fee_recipient: poolFeeRecipient,
        buyback_fee_recipient: buyback,
        "pool.coin_creator": user,
      },
      args: [...args, ...(name.startsWith("buy") && !isSecond ? [true] : [])],
      remaining: isSecond ? [] : [readable(second), readable(poolBuyback), writable(buyback)],
    });
  }

  #poolAccounts(coin: Coin) {
    const { mint, quoteMint } = coin;
    const { venue, baseVault, quoteVault } = venueOf({ coin, isPool: true });
    return {
      pool: venue,
      base_mint: mint,
      quote_mint: quoteMint,
      pool_base_token_account: baseVault,
      pool_quote_token_account: quoteVault,
      base_token_program: TOKEN_2022_PROGRAM,
      quote_token_program: tokenProgramOf(quoteMint),
    };
  }

  /** multi_hop_swap: the first coin down to the last one's quote. */
  chainSale(hops: readonly Hop[], amountIn: bigint): Instruction {
    const [inMint, outMint] = endsOf(hops);
    return this.#multiHop(hops, { inMint, outMint, amountIn });
  }

  /** multi_hop_swap the other way: the last coin's quote up to the first coin. */
  chainPurchase(hops: readonly Hop[], amountIn: bigint): Instruction {
    const [outMint, inMint] = endsOf(hops);
    return this.#multiHop(hops, { inMint, outMint, amountIn });
  }

  #multiHop(
    hops: readonly Hop[],
    swap: { readonly inMint: Address; readonly outMint: Address; readonly amountIn: bigint },
  ): Instruction {
    const { pump, amm, curveBuyback, poolBuyback } = this.#accounts;
    const user = TRADER.address;
    const [first] = hops;
    const last = hops.at(-1);
    const buyback = last?.isPool === true ? poolBuyback : curveBuyback;
    const inOrder = first?.coin.mint === swap.inMint ? hops : hops.toReversed();
    return amm.instruction("multi_hop_swap", {
      accounts: {
        user,
        user_in_token_account: tokensOf(user, swap.inMint),
        user_out_token_account: tokensOf(user, swap.outMint),
        buyback_fee_recipient: tokensOf(buyback, endsOf(hops)[1]),
        pump_global: GLOBAL_ADDRESS,
        pump_fee_config: CURVE_FEE_CONFIG_ADDRESS,
        pump_event_authority: eventAuthority(pump),
      },
      args: [swap.amountIn, 1n],
      remaining: inOrder.flatMap((hop) => {
        const { venue, baseVault, quoteVault } = venueOf(hop);
        const { mint, quoteMint } = hop.coin;
        return [
          ...[mint, quoteMint].map(readable),
          ...[venue, baseVault, quoteVault].map((at) => writable(at)),
        ];
      }),
    });
  }

  migrate(coin: Coin): Instruction {
    const { pump, amm, withdrawAuthority } = this.#accounts;
    const { mint, quoteMint } = coin;
    const boost = findProgramAddress(
      ["boost_vault", { address: canonicalPool(coin) }],
      amm.programId,
    );
    return pump.instruction("migrate_v2", {
      accounts: {
        user: TRADER.address,
        withdraw_authority: withdrawAuthority,
        base_mint: mint,
        quote_mint: quoteMint,
        base_token_program: TOKEN_2022_PROGRAM,
        quote_token_program: tokenProgramOf(quoteMint),
        pump_amm_event_authority: eventAuthority(amm),
      },
      args: [],
      writable: ["quote_mint"],
      remaining: [readable(boost), writable(tokensOf(boost, quoteMint))],
    });
  }

  /** Spends a part of the boost vault on coins that are burned. */
  boost(coin: Coin, quoteIn: bigint): Instruction {
    return this.#accounts.amm.instruction("boost_buy_and_burn", {
      accounts: { ...this.#poolAccounts(coin), authority: BOOST_AUTHORITY.address },
      args: [quoteIn, 1n],
    });
  }

  /** Pays out the fees that v2 and v3 trades left in the curve or the pool. */
  sweep({ coin, isPool }: Hop): readonly Instruction[] {
    const { pump, amm, curveFeeRecipient, poolFeeRecipient } = this.#accounts;
    const { mint, quoteMint } = coin;
    const quote = {
      payer: PAYER.address,
      quote_mint: quoteMint,
      quote_token_program: tokenProgramOf(quoteMint),
    };
    const creator = { address: TRADER.address };
    const { venue, quoteVault } = venueOf({ coin, isPool });
    const [program, protocolRecipient, creatorRecipient, accounts] = isPool
      ? ([
          amm,
          poolFeeRecipient,
          findProgramAddress(["creator_vault", creator], amm.programId),
          {
            pool: venue,
            global_config: GLOBAL_CONFIG_ADDRESS,
            pool_quote_token_account: quoteVault,
          },
        ] as const)
      : ([
          pump,
          curveFeeRecipient,
          findProgramAddress(["creator-vault", creator], pump.programId),
          { base_mint: mint },
        ] as const);
    const recipients = [
      ["sweep_creator_fee", creatorRecipient],
      ["sweep_protocol_fee", protocolRecipient],
    ] as const;
    return recipients.map(([name, recipient]) =>
      program.instruction(name, {
        accounts: { ...quote, ...accounts, recipient: address(recipient) },
        args: [],
      }),
    );
  }

  /** Where fees of the pool's creator are collected. */
  creatorVault(): Address {
    return findProgramAddress(
      ["creator_vault", { address: TRADER.address }],
      this.#accounts.amm.programId,
    );
  }
}

/** The coin that is sold, and what the last hop pays. */
function endsOf(hops: readonly Hop[]): readonly [Address, Address] {
  const [first] = hops;
  const last = hops.at(-1);
  if (first === undefined || last === undefined) throw new Error("a chain has coins");
  return [first.coin.mint, last.coin.quoteMint];
}

/** The curve, and the pool with its vaults, of a coin that another is quoted in. */
function behind({ coin, isPool }: Hop): readonly AccountMeta[] {
  const { venue, baseVault, quoteVault } = venueOf({ coin, isPool: true });
  const pools = isPool ? [venue, baseVault, quoteVault] : [];
  return [curveAddress(coin.mint), ...pools].map(readable);
}

function eventAuthority({ programId }: IdlProgram): Address {
  return findProgramAddress(["__event_authority"], programId);
}
