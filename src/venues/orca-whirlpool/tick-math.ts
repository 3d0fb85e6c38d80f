import { Q64 } from "#src/units/integer.ts";
import { MathError } from "#src/units/math-error.ts";
import { ticksAround } from "../shared/curves/tick-logarithm.ts";

export const MIN_TICK = -443_636;
export const MAX_TICK = 443_636;
/** Square roots of token B per token A, Q64.64, at the ends of the tick range. */
export const MIN_SQRT_PRICE_X64 = 4_295_048_016n;
export const MAX_SQRT_PRICE_X64 = 79_226_673_515_401_279_992_447_579_055n;

const Q96 = 1n << 96n;

/** 2^96 * 1.0001^(2^i / 2): what bit i of a tick from zero up multiplies by. The program's own constants. */
const POSITIVE_FACTORS = [
  79_232_123_823_359_799_118_286_999_567n,
  79_236_085_330_515_764_027_303_304_731n,
  79_244_008_939_048_815_603_706_035_061n,
  79_259_858_533_276_714_757_314_932_305n,
  79_291_567_232_598_584_799_939_703_904n,
  79_355_022_692_464_371_645_785_046_466n,
  79_482_085_999_252_804_386_437_311_141n,
  79_736_823_300_114_093_921_829_183_326n,
  80_248_749_790_819_932_309_965_073_892n,
  81_282_483_887_344_747_381_513_967_011n,
  83_390_072_131_320_151_908_154_831_281n,
  87_770_609_709_833_776_024_991_924_138n,
  97_234_110_755_111_693_312_479_820_773n,
  119_332_217_159_966_728_226_237_229_890n,
  179_736_315_981_702_064_433_883_588_727n,
  407_748_233_172_238_350_107_850_275_304n,
  2_098_478_828_474_011_932_436_660_412_517n,
  55_581_415_166_113_811_149_459_800_483_533n,
  38_992_368_544_603_139_932_233_054_999_993_551n,
] as const;

/** 2^64 * 1.0001^(-2^i / 2), for ticks below zero. */
const NEGATIVE_FACTORS = [
  18_445_821_805_675_392_311n,
  18_444_899_583_751_176_498n,
  18_443_055_278_223_354_162n,
  18_439_367_220_385_604_838n,
  18_431_993_317_065_449_817n,
  18_417_254_355_718_160_513n,
  18_387_811_781_193_591_352n,
  18_329_067_761_203_520_168n,
  18_212_142_134_806_087_854n,
  17_980_523_815_641_551_639n,
  17_526_086_738_831_147_013n,
  16_651_378_430_235_024_244n,
  15_030_750_278_693_429_944n,
  12_247_334_978_882_834_399n,
  8_131_365_268_884_726_200n,
  3_584_323_654_723_342_297n,
  696_457_651_847_595_233n,
  26_294_789_957_452_057n,
  37_481_735_321_082n,
] as const;

/**
 * 1.0001^(tick/2) in Q64.64, with the rounding of the program: down after each factor. Raydium's
 * constants differ, so the two never share this function.
 *
 * @throws MathError outside the tick range
 * @see sqrt_price_from_tick_index in math/tick_math.rs
 */
export function sqrtPriceAtTick(tick: number): bigint {
  if (tick < MIN_TICK || tick > MAX_TICK) {
    throw new MathError("out-of-range", { what: "tick", value: tick });
  }
  const isNegative = tick < 0;
  const shift = isNegative ? 64n : 96n;
  let bits = Math.abs(tick);
  let ratio = isNegative ? Q64 : Q96;
  for (const factor of isNegative ? NEGATIVE_FACTORS : POSITIVE_FACTORS) {
    if ((bits & 1) !== 0) ratio = (ratio * factor) >> shift;
    bits >>= 1;
    if (bits === 0) break;
  }
  return isNegative ? ratio : ratio >> 32n;
}

const LOG_PRECISION_BITS = 14;

/**
 * The largest tick whose price is at most this one.
 *
 * @throws MathError outside the price range
 * @see tick_index_from_sqrt_price in math/tick_math.rs
 */
export function tickAtSqrtPrice(sqrtPriceX64: bigint): number {
  if (sqrtPriceX64 < MIN_SQRT_PRICE_X64 || sqrtPriceX64 > MAX_SQRT_PRICE_X64) {
    throw new MathError("out-of-range", { what: "sqrtPriceX64", value: sqrtPriceX64 });
  }
  const { low, high } = ticksAround(sqrtPriceX64, LOG_PRECISION_BITS);
  if (low === high) return low;
  return high <= MAX_TICK && sqrtPriceAtTick(high) <= sqrtPriceX64 ? high : low;
}
