import type { Address } from "#src/units/address.ts";
import { WSOL } from "#src/units/known-addresses.ts";
import { curveAddress } from "#src/venues/pump-curve/addresses.ts";
import { BONDING_CURVE } from "#src/venues/pump-curve/layout.ts";
import type { Chain, Executed } from "./chain.ts";
import {
  computeLimit,
  createTokenAccount,
  syncNative,
  tokenProgramOf,
  transferSol,
} from "./common-instructions.ts";
import { layOutPump, PAYER, type PumpAccounts, recipientsOf, TRADER } from "./pump-accounts.ts";
import {
  type Coin,
  type CoinTraits,
  canonicalPool,
  type Hop,
  PumpInstructions,
  tokensOf,
} from "./pump-instructions.ts";
import { type Instruction, namedSigner, type Signer } from "./transaction.ts";

const WRAPPED_LAMPORTS = 50_000_000_000_000n;
const TOKEN_AMOUNT_AT = 64;

/** Pump's programs on a chain, with one trader: coins from their creation to the pool. */
export class PumpMarket {
  readonly chain: Chain;
  readonly instructions: PumpInstructions;
  readonly #accounts: PumpAccounts;
  readonly #coins = new Map<Address, Coin>();
  #sent = 0;

  constructor(chain: Chain, programs: string, accounts: string) {
    this.chain = chain;
    this.#accounts = layOutPump(chain, programs, accounts);
    this.instructions = new PumpInstructions(this.#accounts);
  }

  /** What needs no trade: accounts that trades expect, and WSOL for the trader. */
  async prepare(): Promise<void> {
    const wrapped = tokensOf(TRADER.address, WSOL);
    await this.must(this.instructions.initVolumes());
    await this.#holders(WSOL, [TRADER.address, ...recipientsOf(this.#accounts)]);
    await this.must([transferSol(PAYER.address, wrapped, WRAPPED_LAMPORTS), syncNative(wrapped)]);
  }

  /** Creates a coin quoted in SOL or in another coin, by create_v2. */
  async create(name: string, quoteMint: Address = WSOL, traits: CoinTraits = {}): Promise<Coin> {
    const signer = namedSigner(name);
    const coin = { mint: signer.address, quoteMint };
    const quote = await this.hops(this.chainOf(quoteMint));
    const instruction = this.instructions.create(name, coin.mint, { ...traits, quote });
    await this.must([instruction], [TRADER, signer]);
    this.#coins.set(coin.mint, coin);
    await this.#holders(coin.mint, [TRADER.address, ...recipientsOf(this.#accounts)]);
    return coin;
  }

  /** As a coin of the time when creators could choose cashback in place of their fee. */
  async makeCashback({ mint }: Coin): Promise<void> {
    const at = curveAddress(mint);
    const curve = await this.chain.account(at);
    if (curve === null) throw new Error(`${mint} has no curve`);
    curve.data[BONDING_CURVE.is_cashback_coin] = 1;
    this.chain.setAccount(at, curve);
  }

  /** The coin, and those it is quoted in, down to SOL. */
  chainOf(mint: Address): readonly Coin[] {
    const coin = this.#coins.get(mint);
    return coin === undefined ? [] : [coin, ...this.chainOf(coin.quoteMint)];
  }

  /** Each coin with where it trades now. */
  hops(coins: readonly Coin[]): Promise<readonly Hop[]> {
    return Promise.all(
      coins.map(async (coin) => ({
        coin,
        isPool: (await this.chain.account(canonicalPool(coin))) !== null,
      })),
    );
  }

  /** Buys what the curve still has and more, so that the buy goes on in the pool that comes. */
  async completion(coin: Coin, more: bigint, name = "buy_v3"): Promise<Instruction> {
    const { realToken } = await this.left(coin);
    return this.instructions.curveTrade(name, coin, [realToken + more, 1n << 62n]);
  }

  /** What the curve still has. */
  async left({ mint }: Coin): Promise<{ readonly realToken: bigint; readonly realQuote: bigint }> {
    const curve = await this.chain.account(curveAddress(mint));
    if (curve === null) throw new Error(`${mint} has no curve`);
    return {
      realToken: curve.data.readBigUInt64LE(BONDING_CURVE.real_token_reserves),
      realQuote: curve.data.readBigUInt64LE(BONDING_CURVE.real_quote_reserves),
    };
  }

  async migrate(coin: Coin): Promise<void> {
    await this.must([this.instructions.migrate(coin)]);
    await this.#holders(coin.quoteMint, [this.instructions.creatorVault()]);
  }

  /** Tokens of the mint that the trader has. */
  async held(mint: Address): Promise<bigint> {
    return (await this.#tokenAccount(mint)).data.readBigUInt64LE(TOKEN_AMOUNT_AT);
  }

  /** Gives the trader tokens without a trade. */
  async give(mint: Address, amount: bigint): Promise<void> {
    const account = await this.#tokenAccount(mint);
    const { data } = account;
    data.writeBigUInt64LE(data.readBigUInt64LE(TOKEN_AMOUNT_AT) + amount, TOKEN_AMOUNT_AT);
    this.chain.setAccount(tokensOf(TRADER.address, mint), account);
  }

  async #tokenAccount(mint: Address) {
    const account = await this.chain.account(tokensOf(TRADER.address, mint));
    if (account === null) throw new Error(`the trader has no account for ${mint}`);
    return account;
  }

  /** Sends from the trader and waits for the result. */
  send(
    instructions: readonly Instruction[],
    signers: readonly Signer[] = [TRADER],
  ): Promise<Executed> {
    const limited = [computeLimit(this.#sent++), ...instructions];
    return this.chain.execute(limited, [PAYER, ...signers]);
  }

  /** @throws where the programs refuse it */
  async must(instructions: readonly Instruction[], signers?: readonly Signer[]): Promise<void> {
    const sent = await this.send(instructions, signers);
    if (sent.kind === "failed") throw new Error(sent.reason);
  }

  /** Token accounts for those that are paid in the mint. */
  async #holders(mint: Address, owners: readonly Address[]): Promise<void> {
    const program = tokenProgramOf(mint);
    const payer = PAYER.address;
    await this.must(owners.map((owner) => createTokenAccount({ payer, owner, mint, program })));
  }
}
