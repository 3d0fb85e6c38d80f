const PRIME = (1n << 255n) - 19n;
const EDWARDS_D = 37095705934669439343138083508754565189542113879843219016388785533085940283555n;

/** Halving steps decided on the low bits before the whole numbers follow: products stay exact doubles. */
const BATCH = 24;
const LIMB = 2 ** BATCH;
const PER_LIMB = 2 ** -BATCH;
/** 11 times 24 bits hold 255. */
const LIMBS = 11;
/** Far more than any number has been seen to take; one that took longer is left to division. */
const MOST_BATCHES = 50;
const PRIME_LIMBS = limbsOf(PRIME);

/**
 * Whether 32 bytes decompress to a point of ed25519: some x has x² = (y² - 1) / (d·y² + 1), which
 * holds where (y² - 1)·(d·y² + 1) is no quadratic non-residue. No program can sign for such an address.
 */
export function isOnCurve(bytes: Uint8Array): boolean {
  const view = new DataView(bytes.buffer, bytes.byteOffset, 32);
  const y =
    view.getBigUint64(0, true) |
    (view.getBigUint64(8, true) << 64n) |
    (view.getBigUint64(16, true) << 128n) |
    ((view.getBigUint64(24, true) & 0x7fff_ffff_ffff_ffffn) << 192n);
  const ySquared = (y * y) % PRIME;
  const a = ((ySquared + PRIME - 1n) * (EDWARDS_D * ySquared + 1n)) % PRIME;
  return a === 0n || (symbolByHalving(a) ?? symbolByDivision(a, PRIME)) === 1;
}

/**
 * The Legendre symbol (a / p) for 0 < a < p; null where the steps did not come to an end. Binary
 * greatest common divisor: a batch of halving steps is decided on the low bits alone and then
 * applied to the whole numbers as one matrix, so that nothing is divided or allocated. Steps keep
 * both numbers positive, as quadratic reciprocity wants them: the variant of Bernstein and Yang's
 * divsteps that libsecp256k1 calls posdivsteps (doc/safegcd_implementation.md there).
 */
function symbolByHalving(a: bigint): 1 | -1 | null {
  const f = PRIME_LIMBS.slice();
  const g = limbsOf(a);
  const steps: Steps = { eta: -1, sign: 0, u: 1, v: 0, q: 0, r: 1 };
  for (let batch = 0; batch < MOST_BATCHES; batch++) {
    halve(lowBits(f), lowBits(g), steps);
    apply(f, g, steps);
    if (isOne(f)) return (steps.sign & 1) === 0 ? 1 : -1;
  }
  return null;
}

/** `eta` says whose turn it is, the lowest bit of `sign` is the symbol's, the rest is the batch's matrix. */
type Steps = { eta: number; sign: number; u: number; v: number; q: number; r: number };

/** One batch of steps on the low 32 bits, two more than the last step looks at. */
function halve(lowF: number, lowG: number, steps: Steps): void {
  let f = lowF;
  let g = lowG;
  let u = 1;
  let v = 0;
  let q = 0;
  let r = 1;
  let { eta, sign } = steps;
  let left = BATCH;
  for (;;) {
    const zeros = trailingZeros(g, left);
    g >>>= zeros;
    u *= 1 << zeros;
    v *= 1 << zeros;
    eta -= zeros;
    left -= zeros;
    // A two taken out of one number counts where the other is 3 or 5 modulo 8.
    sign ^= zeros & ((f >>> 1) ^ (f >>> 2));
    if (left === 0) break;
    if (eta < 0) {
      eta = -eta;
      // So does an exchange where both are 3 modulo 4.
      sign ^= (f & g) >>> 1;
      const [exF, exU, exV] = [f, u, v];
      f = g;
      g = exF;
      u = q;
      q = exU;
      v = r;
      r = exV;
    }
    // f·(2 - f²) inverts f modulo 64: up to six low bits are cleared at once, within this turn.
    const bits = Math.min(eta + 1, left, 6);
    const inverse = Math.imul(f, 2 - Math.imul(f, f));
    const times = Math.imul(-inverse, g) & ((1 << bits) - 1);
    g = (g + Math.imul(f, times)) | 0;
    q += u * times;
    r += v * times;
  }
  steps.eta = eta;
  steps.sign = sign;
  steps.u = u;
  steps.v = v;
  steps.q = q;
  steps.r = r;
}

function trailingZeros(value: number, most: number): number {
  return value === 0 ? most : Math.min(most, 31 - Math.clz32(value & -value));
}

/** f and g become (u·f + v·g) / 2^24 and (q·f + r·g) / 2^24, both exact. */
function apply(f: Float64Array, g: Float64Array, { u, v, q, r }: Steps): void {
  let carryF = 0;
  let carryG = 0;
  for (let limb = 0; limb <= LIMBS; limb++) {
    const ofF = f[limb] ?? 0;
    const ofG = g[limb] ?? 0;
    const nextF = u * ofF + v * ofG + carryF;
    const nextG = q * ofF + r * ofG + carryG;
    carryF = Math.floor(nextF * PER_LIMB);
    carryG = Math.floor(nextG * PER_LIMB);
    if (limb === 0) continue;
    f[limb - 1] = nextF - carryF * LIMB;
    g[limb - 1] = nextG - carryG * LIMB;
  }
}

function limbsOf(value: bigint): Float64Array {
  const limbs = new Float64Array(LIMBS);
  const bytes = new DataView(new ArrayBuffer(3 * LIMBS + 1));
  for (let word = 0; word < 4; word++)
    bytes.setBigUint64(8 * word, BigInt.asUintN(64, value >> BigInt(64 * word)), true);
  for (let limb = 0; limb < LIMBS; limb++)
    limbs[limb] = bytes.getUint32(3 * limb, true) & 0xff_ffff;
  return limbs;
}

function lowBits(limbs: Float64Array): number {
  return (limbs[0] ?? 0) | ((limbs[1] ?? 0) << BATCH);
}

function isOne(limbs: Float64Array): boolean {
  for (let limb = 1; limb < LIMBS; limb++) if (limbs[limb] !== 0) return false;
  return limbs[0] === 1;
}

/** The Jacobi symbol (a / n) for odd n > 0 and 0 < a < n, by quadratic reciprocity. */
function symbolByDivision(a: bigint, n: bigint): number {
  let symbol = 1;
  while (a !== 0n) {
    let twos = 0;
    for (; (a & 1n) === 0n; a >>= 1n) twos++;
    if (twos % 2 === 1 && ((n & 7n) === 3n || (n & 7n) === 5n)) symbol = -symbol;
    if ((a & 3n) === 3n && (n & 3n) === 3n) symbol = -symbol;
    [a, n] = [n % a, a];
  }
  return n === 1n ? symbol : 0;
}
