import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Address, address, addressBytes, addressFromBytes } from "#src/units/address.ts";
import { TOKEN_2022_PROGRAM, WSOL } from "#src/units/known-addresses.ts";
import { findProgramAddress } from "#src/units/program-address.ts";
import { associatedTokenAddress } from "#src/venues/shared/token/associated-token.ts";
import { eventually } from "#test/support/eventually.ts";
import {
  computeLimit,
  createTokenAccount,
  readable,
  syncNative,
  tokenProgramOf,
  transferSol,
  writable,
} from "./common-instructions.ts";
import { IdlProgram } from "./idl.ts";
import type { RealNode } from "./surfpool.ts";
import {
  type AccountMeta,
  type Instruction,
  namedSigner,
  type Signer,
  signedTransaction,
} from "./transaction.ts";

const MAYHEM_PROGRAM = address("MAyhSmzXzV1pTf7LsNkrNwkWKTo4ougAJ1PPg47MD4e");
const GLOBAL = address("4wTV1YmiEkRvAtNtsSGPtUrqRYQMe5SKy2uB4Jjaxnjf");
const GLOBAL_CONFIG = address("ADyA8hdefvWN2dbGGWFotbzWxrAvLW83WG6QCVXvJKqw");
const CURVE_FEES = address("8Wf5TiAheLUqBrKXeYg2JtAFFMWtKdG2BSFgqUcPVwTt");
const POOL_FEES = address("5PHirr8joyTMp9JMm6nW7hNDVyEYdkzDqazxPD7RaTjx");

const PROGRAMS = [
  ["pump.so", "6EF8rrecthR5Dkzon8Nwu78hRvfCKubJ14M5uBEwF6P"],
  ["pump_amm.so", "pAMMBay6oceH9fJKBRHGP5D4bD4sWpmSwMn52FMfXEA"],
  ["pump_fees.so", "pfeeUxB6jkeY1Hxd7CsFCAjcbHA9rWtchMGdZ6VojVZ"],
  ["mayhem_program.so", MAYHEM_PROGRAM],
  ["mpl_token_metadata.so", "metaqbxxUerdq28cj1RbAWkYQm3ybzjb6a8bt518x1s"],
] as const;

/** Offsets of Global and GlobalConfig that only trading needs. */
const GLOBAL_AT = { feeRecipient: 41, withdrawAuthority: 113, buyback: 741, maxDepth: 1087 };
const GLOBAL_LENGTH = 1_200;
const MAX_DEPTH = 5;
const CONFIG_AT = { protocolRecipients: 57, buyback: 643, boostAuthority: 907 };

const VOLUMES = {
  seed: "global_volume_accumulator",
  discriminator: "ca2af62b8ebe1eff",
  length: 544,
} as const;
const QUOTE_CONTROL = { discriminator: "38f423eec1d5a2c9", length: 108 } as const;

const CONFIRMED_WITHIN_MS = 10_000;

/** A coin with its place in a chain. */
export type Coin = {
  readonly mint: Address;
  /** WSOL, or another coin. */
  readonly quoteMint: Address;
};

export type Sent =
  | {
      readonly kind: "done";
      readonly slot: number;
      /** What the trader has more than before: SOL and WSOL together, in lamports. */
      readonly paidLamports: bigint;
    }
  | { readonly kind: "failed"; readonly reason: string };

/** Pump's programs on a real node, with one trader. */
export class PumpNode {
  readonly node: RealNode;
  readonly pump: IdlProgram;
  readonly amm: IdlProgram;
  readonly trader: Signer = namedSigner("trader");
  readonly #payer: Signer = namedSigner("payer");
  readonly #boostAuthority: Signer = namedSigner("boost authority");
  readonly #global: Uint8Array;
  readonly #config: Uint8Array;
  readonly #coins = new Map<Address, Coin>();
  #sent = 0;

  constructor(node: RealNode, programs: string, accounts: string) {
    this.node = node;
    this.pump = new IdlProgram(join(programs, "pump.json"));
    this.amm = new IdlProgram(join(programs, "pump_amm.json"));
    for (const [file, programId] of PROGRAMS) {
      node.net.deploy({ programId, soBytes: [...readFileSync(join(programs, file))] });
    }
    this.#global = this.#load(accounts, GLOBAL, (data) => {
      const longer = new Uint8Array(GLOBAL_LENGTH);
      longer.set(data);
      longer[GLOBAL_AT.maxDepth] = MAX_DEPTH;
      return longer;
    });
    this.#config = this.#load(accounts, GLOBAL_CONFIG, (data) => {
      data.set(addressBytes(this.#boostAuthority.address) ?? [], CONFIG_AT.boostAuthority);
      return data;
    });
    for (const fees of [CURVE_FEES, POOL_FEES]) this.#load(accounts, fees, (data) => data);
    for (const program of [this.pump, this.amm]) {
      this.#empty(program, findProgramAddress([VOLUMES.seed], program.programId), VOLUMES);
    }
    const quoteControl = findProgramAddress(["quote-control"], this.pump.programId);
    this.#empty(this.pump, quoteControl, QUOTE_CONTROL);
    const creatorVault = findProgramAddress(
      ["creator-vault", { address: this.trader.address }],
      this.pump.programId,
    );
    const signers = [this.trader, this.#payer, this.#boostAuthority];
    for (const owner of [...signers.map(({ address }) => address), ...this.#recipients()]) {
      node.net.fundSol(owner, 100_000_000_000_000);
    }
    // A wallet that was never used refuses fees below its rent.
    node.net.fundSol(creatorVault, 1_000_000_000);
  }

  /** What needs no trade: accounts that trades expect, and WSOL for the trader. */
  async prepare(): Promise<void> {
    const user = this.trader.address;
    const init = (program: IdlProgram) =>
      program.instruction("init_user_volume_accumulator", {
        accounts: { payer: this.#payer.address, user },
        args: [],
      });
    await this.#must([init(this.pump), init(this.amm)]);
    await this.#holders(WSOL, [user, ...this.#recipients()]);
    await this.#must([
      transferSol(this.#payer.address, this.tokens(user, WSOL), 50_000_000_000_000n),
      syncNative(this.tokens(user, WSOL)),
    ]);
  }

  tokens(owner: Address, mint: Address): Address {
    return associatedTokenAddress(owner, mint, tokenProgramOf(mint));
  }

  curve(mint: Address): Address {
    return findProgramAddress(["bonding-curve", { address: mint }], this.pump.programId);
  }

  pool({ mint, quoteMint }: Coin): Address {
    const authority = findProgramAddress(
      ["pool-authority", { address: mint }],
      this.pump.programId,
    );
    return findProgramAddress(
      [
        "pool",
        Uint8Array.of(0, 0),
        { address: authority },
        { address: mint },
        { address: quoteMint },
      ],
      this.amm.programId,
    );
  }

  /** Creates a coin quoted in SOL or in another coin, by create_v2. */
  async create(name: string, quoteMint: Address = WSOL): Promise<Coin> {
    const signer = namedSigner(name);
    const mint = signer.address;
    const user = this.trader.address;
    const solVault = findProgramAddress(["sol-vault"], MAYHEM_PROGRAM);
    const curve = this.curve(mint);
    const quote = this.#coins.get(quoteMint);
    const remaining =
      quote === undefined
        ? []
        : [
            readable(quoteMint),
            writable(associatedTokenAddress(curve, quoteMint, TOKEN_2022_PROGRAM)),
            readable(TOKEN_2022_PROGRAM),
            readable(findProgramAddress(["quote-control"], this.pump.programId)),
            ...(await this.#chainAccounts(quote)),
          ];
    const instruction = this.pump.instruction("create_v2", {
      accounts: {
        mint,
        user,
        mayhem_token_vault: associatedTokenAddress(solVault, mint, TOKEN_2022_PROGRAM),
      },
      args: [name, name, "https://example.com", user, false, false, 0n, false],
      remaining,
    });
    await this.#must([instruction], [this.trader, signer]);
    const coin = { mint, quoteMint };
    this.#coins.set(mint, coin);
    await this.#holders(mint, [user, ...this.#recipients()]);
    return coin;
  }

  /** A trade of the coin on its curve by one of pump's instructions. */
  curveTrade(name: string, { mint, quoteMint }: Coin, args: readonly bigint[]): Instruction {
    const user = this.trader.address;
    const isFirst = !/_v[23]$/.test(name);
    const isBuy = name.startsWith("buy");
    const flags = isBuy ? (isFirst ? [true, true] : [true]) : [];
    const creator = { "bonding_curve.creator": user };
    const buyback = this.#key(this.#global, GLOBAL_AT.buyback);
    const feeRecipient = this.#key(this.#global, GLOBAL_AT.feeRecipient);
    if (isFirst) {
      const second = findProgramAddress(
        ["bonding-curve-v2", { address: mint }],
        this.pump.programId,
      );
      return this.pump.instruction(name, {
        accounts: {
          ...creator,
          mint,
          user,
          fee_recipient: feeRecipient,
          associated_user: this.tokens(user, mint),
          token_program: TOKEN_2022_PROGRAM,
        },
        args: [...args, ...flags],
        remaining: [readable(second), writable(buyback)],
      });
    }
    const isThird = name.endsWith("_v3");
    return this.pump.instruction(name, {
      accounts: {
        ...creator,
        user,
        base_mint: mint,
        quote_mint: quoteMint,
        base_token_program: TOKEN_2022_PROGRAM,
        quote_token_program: tokenProgramOf(quoteMint),
        fee_recipient: feeRecipient,
        buyback_fee_recipient:
          isThird && quoteMint !== WSOL ? this.tokens(buyback, quoteMint) : buyback,
        associated_base_user: this.tokens(user, mint),
        associated_quote_user: this.tokens(user, quoteMint),
      },
      args: [...args, ...flags],
    });
  }

  /** A trade of the coin in its canonical pool by one of pump_amm's instructions. */
  poolTrade(name: string, coin: Coin, args: readonly bigint[]): Instruction {
    const { mint, quoteMint } = coin;
    const user = this.trader.address;
    const pool = this.pool(coin);
    const buyback = this.#key(this.#config, CONFIG_AT.buyback);
    const isSecond = name.endsWith("_v2");
    const second = findProgramAddress(["pool-v2", { address: mint }], this.amm.programId);
    const isBuy = name.startsWith("buy");
    return this.amm.instruction(name, {
      accounts: {
        pool,
        user,
        global_config: GLOBAL_CONFIG,
        base_mint: mint,
        quote_mint: quoteMint,
        user_base_token_account: this.tokens(user, mint),
        user_quote_token_account: this.tokens(user, quoteMint),
        pool_base_token_account: this.tokens(pool, mint),
        pool_quote_token_account: this.tokens(pool, quoteMint),
        base_token_program: TOKEN_2022_PROGRAM,
        quote_token_program: tokenProgramOf(quoteMint),
        protocol_fee_recipient: this.#key(this.#config, CONFIG_AT.protocolRecipients),
        buyback_fee_recipient: this.tokens(buyback, quoteMint),
        "pool.coin_creator": user,
      },
      args: [...args, ...(isBuy && !isSecond ? [true] : [])],
      remaining: isSecond
        ? []
        : [readable(second), readable(buyback), writable(this.tokens(buyback, quoteMint))],
    });
  }

  /** multi_hop_swap: the first coin down to SOL, each through its curve or its canonical pool. */
  async chainSale(coins: readonly Coin[], amountIn: bigint): Promise<Instruction> {
    const user = this.trader.address;
    const [first] = coins;
    const last = coins.at(-1);
    if (first === undefined || last === undefined) throw new Error("a chain has coins");
    const hops = await Promise.all(
      coins.map(async (coin) => {
        const pool = this.pool(coin);
        const venue = (await this.exists(pool)) ? pool : this.curve(coin.mint);
        return { coin, venue, isPool: venue === pool };
      }),
    );
    const [data, at] = hops.at(-1)?.isPool
      ? [this.#config, CONFIG_AT.buyback]
      : [this.#global, GLOBAL_AT.buyback];
    const event = (program: Address) => findProgramAddress(["__event_authority"], program);
    return this.amm.instruction("multi_hop_swap", {
      accounts: {
        user,
        user_in_token_account: this.tokens(user, first.mint),
        user_out_token_account: this.tokens(user, last.quoteMint),
        buyback_fee_recipient: this.tokens(this.#key(data, at), last.quoteMint),
        pump_global: GLOBAL,
        pump_fee_config: CURVE_FEES,
        pump_event_authority: event(this.pump.programId),
      },
      args: [amountIn, 1n],
      remaining: hops.flatMap(({ coin: { mint, quoteMint }, venue }) => [
        readable(mint),
        readable(quoteMint),
        writable(venue),
        writable(this.tokens(venue, mint)),
        writable(this.tokens(venue, quoteMint)),
      ]),
    });
  }

  /** The accounts that a trade of these coins changes: a curve, or both vaults of a pool. */
  async traded(coins: readonly Coin[]): Promise<readonly Address[]> {
    const changed = await Promise.all(
      coins.map(async (coin) => {
        const pool = this.pool(coin);
        if (!(await this.exists(pool))) return [this.curve(coin.mint)];
        return [this.tokens(pool, coin.mint), this.tokens(pool, coin.quoteMint)];
      }),
    );
    return changed.flat();
  }

  /** Until something subscribes to the accounts that a trade of these coins changes. */
  async subscribed(coins: readonly Coin[]): Promise<void> {
    const accounts = await this.traded(coins);
    await eventually(
      "subscriptions to the traded accounts",
      () => (accounts.every((account) => this.node.notified.has(account)) ? true : null),
      CONFIRMED_WITHIN_MS,
    );
  }

  /**
   * Trades, and waits until those that subscribe to the traded accounts are notified of it.
   */
  async trade(
    coins: readonly Coin[],
    instructions: readonly Instruction[],
    signers?: readonly Signer[],
  ): Promise<Sent> {
    const { notified } = this.node;
    const accounts = (await this.traded(coins)).filter((account) => notified.has(account));
    const counts = accounts.map((account) => notified.get(account) ?? 0);
    const before = await this.#contents(accounts);
    const sent = await this.send(instructions, signers);
    if (sent.kind === "failed") return sent;
    // A sale of dust leaves a vault as it was.
    const after = await this.#contents(accounts);
    const isNotified = (account: Address, place: number): boolean =>
      after[place] === before[place] || (notified.get(account) ?? 0) > (counts[place] ?? 0);
    await eventually(
      "notifications of a trade",
      () => (accounts.every(isNotified) ? true : null),
      CONFIRMED_WITHIN_MS,
    );
    return sent;
  }

  async #contents(accounts: readonly Address[]): Promise<readonly string[]> {
    const { value } = await this.node.call<{
      value: readonly ({ data: readonly [string, string] } | null)[];
    }>("getMultipleAccounts", [accounts, PROCESSED]);
    return value.map((account) => account?.data[0] ?? "");
  }

  async migrate(coin: Coin): Promise<Sent> {
    const { mint, quoteMint } = coin;
    const pool = this.pool(coin);
    const boost = findProgramAddress(["boost_vault", { address: pool }], this.amm.programId);
    const instruction = this.pump.instruction("migrate_v2", {
      accounts: {
        user: this.trader.address,
        withdraw_authority: this.#key(this.#global, GLOBAL_AT.withdrawAuthority),
        base_mint: mint,
        quote_mint: quoteMint,
        base_token_program: TOKEN_2022_PROGRAM,
        quote_token_program: tokenProgramOf(quoteMint),
        pump_amm_event_authority: findProgramAddress(["__event_authority"], this.amm.programId),
      },
      args: [],
      writable: ["quote_mint"],
      remaining: [readable(boost), writable(this.tokens(boost, quoteMint))],
    });
    const sent = await this.send([instruction]);
    if (sent.kind === "done") {
      const vault = findProgramAddress(
        ["creator_vault", { address: this.trader.address }],
        this.amm.programId,
      );
      await this.#holders(quoteMint, [vault]);
    }
    return sent;
  }

  /** Spends a part of the boost vault on coins that are burned. */
  boost(coin: Coin, quoteIn: bigint): Promise<Sent> {
    const pool = this.pool(coin);
    const instruction = this.amm.instruction("boost_buy_and_burn", {
      accounts: {
        pool,
        authority: this.#boostAuthority.address,
        base_mint: coin.mint,
        quote_mint: coin.quoteMint,
        pool_base_token_account: this.tokens(pool, coin.mint),
        pool_quote_token_account: this.tokens(pool, coin.quoteMint),
        base_token_program: TOKEN_2022_PROGRAM,
        quote_token_program: tokenProgramOf(coin.quoteMint),
      },
      args: [quoteIn, 1n],
    });
    return this.trade([coin], [instruction], [this.#boostAuthority]);
  }

  /** Pays out the fees that v2 and v3 trades left in the curve or the pool. */
  sweep(coin: Coin, place: "curve" | "pool"): Promise<Sent> {
    const quote = {
      payer: this.#payer.address,
      quote_mint: coin.quoteMint,
      quote_token_program: tokenProgramOf(coin.quoteMint),
    };
    const { address: creator } = this.trader;
    if (place === "curve") {
      const recipient = (seeds: readonly [string, { address: Address }]) =>
        findProgramAddress(seeds, this.pump.programId);
      return this.trade(
        [coin],
        [
          this.pump.instruction("sweep_creator_fee", {
            accounts: {
              ...quote,
              base_mint: coin.mint,
              recipient: recipient(["creator-vault", { address: creator }]),
            },
            args: [],
          }),
          this.pump.instruction("sweep_protocol_fee", {
            accounts: {
              ...quote,
              base_mint: coin.mint,
              recipient: this.#key(this.#global, GLOBAL_AT.feeRecipient),
            },
            args: [],
          }),
        ],
      );
    }
    const pool = this.pool(coin);
    const accounts = {
      ...quote,
      pool,
      global_config: GLOBAL_CONFIG,
      pool_quote_token_account: this.tokens(pool, coin.quoteMint),
    };
    const vault = findProgramAddress(["creator_vault", { address: creator }], this.amm.programId);
    const protocol = this.#key(this.#config, CONFIG_AT.protocolRecipients);
    return this.trade(
      [coin],
      [
        ["sweep_creator_fee", vault],
        ["sweep_protocol_fee", protocol],
      ].map(([name = "", recipient = vault]) =>
        this.amm.instruction(name, {
          accounts: { ...accounts, recipient: address(recipient) },
          args: [],
        }),
      ),
    );
  }

  async exists(account: Address): Promise<boolean> {
    const found = await this.node.call<{ value: unknown }>("getAccountInfo", [account, PROCESSED]);
    return found.value !== null;
  }

  /** Coins that the curve still sells. */
  async left({ mint }: Coin): Promise<bigint> {
    const { value } = await this.node.call<{ value: { data: readonly [string, string] } | null }>(
      "getAccountInfo",
      [this.curve(mint), PROCESSED],
    );
    return Buffer.from(value?.data[0] ?? "", "base64").readBigUInt64LE(24);
  }

  /** Tokens of the mint that the trader has. */
  async held(mint: Address): Promise<bigint> {
    const { data } = await this.#tokenAccount(mint);
    return data.readBigUInt64LE(64);
  }

  /** Gives the trader tokens without a trade. */
  async give(mint: Address, amount: bigint): Promise<void> {
    const { data, owner, lamports } = await this.#tokenAccount(mint);
    data.writeBigUInt64LE(data.readBigUInt64LE(64) + amount, 64);
    const at = this.tokens(this.trader.address, mint);
    this.node.setAccount({ address: at, owner, lamports, data });
  }

  async #tokenAccount(mint: Address) {
    const at = this.tokens(this.trader.address, mint);
    const { value } = await this.node.call<{
      value: { lamports: number; owner: string; data: readonly [string, string] } | null;
    }>("getAccountInfo", [at, PROCESSED]);
    if (value === null) throw new Error(`the trader has no account for ${mint}`);
    return {
      data: Buffer.from(value.data[0], "base64"),
      owner: address(value.owner),
      lamports: BigInt(value.lamports),
    };
  }

  /** Sends from the trader and waits for the result. */
  async send(
    instructions: readonly Instruction[],
    signers: readonly Signer[] = [this.trader],
  ): Promise<Sent> {
    const { value } = await this.node.call<{ value: { blockhash: string } }>("getLatestBlockhash", [
      PROCESSED,
    ]);
    const limited = [computeLimit(this.#sent++), ...instructions];
    const signed = signedTransaction(limited, [this.#payer, ...signers], value.blockhash);
    await this.node.call("sendTransaction", [
      signed.base64,
      { encoding: "base64", skipPreflight: true },
    ]);
    const status = await eventually(
      "a confirmed transaction",
      async () => {
        const { value: statuses } = await this.node.call<{
          value: readonly ({ slot: number; err: unknown } | null)[];
        }>("getSignatureStatuses", [[signed.signature]]);
        return statuses[0] ?? null;
      },
      CONFIRMED_WITHIN_MS,
    );
    if (status.err !== null) return { kind: "failed", reason: JSON.stringify(status.err) };
    const paidLamports = await this.#paid(signed.signature);
    return { kind: "done", slot: status.slot, paidLamports };
  }

  async #paid(signature: string): Promise<bigint> {
    const { meta, transaction } = await this.node.call<ExecutedTransaction>("getTransaction", [
      signature,
      { encoding: "json", commitment: "confirmed", maxSupportedTransactionVersion: 0 },
    ]);
    const user = this.trader.address;
    const place = transaction.message.accountKeys.indexOf(user);
    const wallet = BigInt(meta.postBalances[place] ?? 0) - BigInt(meta.preBalances[place] ?? 0);
    const wrapped = (balances: readonly TokenBalance[]) =>
      balances
        .filter(({ mint, owner }) => mint === WSOL && owner === user)
        .reduce((sum, { uiTokenAmount }) => sum + BigInt(uiTokenAmount.amount), 0n);
    return wallet + wrapped(meta.postTokenBalances) - wrapped(meta.preTokenBalances);
  }

  async #must(instructions: readonly Instruction[], signers?: readonly Signer[]): Promise<void> {
    const sent = await this.send(instructions, signers);
    if (sent.kind === "failed") throw new Error(sent.reason);
  }

  /** Token accounts for those that are paid in the mint. */
  async #holders(mint: Address, owners: readonly Address[]): Promise<void> {
    const program = tokenProgramOf(mint);
    const payer = this.#payer.address;
    await this.#must(owners.map((owner) => createTokenAccount({ payer, owner, mint, program })));
  }

  #recipients(): readonly Address[] {
    return [
      this.#key(this.#global, GLOBAL_AT.feeRecipient),
      this.#key(this.#global, GLOBAL_AT.buyback),
      this.#key(this.#config, CONFIG_AT.protocolRecipients),
      this.#key(this.#config, CONFIG_AT.buyback),
    ];
  }

  /** The curves, and the pools with their vaults, behind a coin that another is quoted in. */
  async #chainAccounts(coin: Coin): Promise<readonly AccountMeta[]> {
    const pool = this.pool(coin);
    const pools = (await this.exists(pool))
      ? [pool, this.tokens(pool, coin.mint), this.tokens(pool, coin.quoteMint)]
      : [];
    const next = this.#coins.get(coin.quoteMint);
    const behind = next === undefined ? [] : await this.#chainAccounts(next);
    return [...[this.curve(coin.mint), ...pools].map(readable), ...behind];
  }

  #key(data: Uint8Array, offset: number): Address {
    return addressFromBytes(data, offset);
  }

  /** An account of the program in which nothing is counted yet. */
  #empty(
    { programId }: IdlProgram,
    at: Address,
    { discriminator, length }: { readonly discriminator: string; readonly length: number },
  ): void {
    const data = new Uint8Array(length);
    data.set(Buffer.from(discriminator, "hex"));
    this.node.setAccount({ address: at, owner: programId, lamports: 100_000_000n, data });
  }

  /** An account of mainnet that needs no history. */
  #load(folder: string, at: Address, edit: (data: Uint8Array) => Uint8Array): Uint8Array {
    const { account } = JSON.parse(readFileSync(join(folder, `${at}.json`), "utf8"));
    const data = edit(Buffer.from(account.data[0], "base64"));
    const owner = address(account.owner);
    this.node.setAccount({ address: at, owner, lamports: 100_000_000n, data });
    return data;
  }
}

type TokenBalance = {
  readonly mint: string;
  readonly owner: string;
  readonly uiTokenAmount: { readonly amount: string };
};

type ExecutedTransaction = {
  readonly meta: {
    readonly preBalances: readonly number[];
    readonly postBalances: readonly number[];
    readonly preTokenBalances: readonly TokenBalance[];
    readonly postTokenBalances: readonly TokenBalance[];
  };
  readonly transaction: { readonly message: { readonly accountKeys: readonly string[] } };
};

const PROCESSED = { encoding: "base64", commitment: "processed" };
