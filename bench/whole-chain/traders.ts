import type { SeededRandom } from "#demo/seeded-random.ts";
import type { Address } from "#src/units/address.ts";

const USERS = 256;
/** Users who trade one token. */
const USERS_PER_TOKEN = 4;

/** The users of the played chain. */
export class Traders {
  readonly #random: SeededRandom;
  readonly #users: readonly Address[];

  constructor(random: SeededRandom) {
    this.#random = random;
    this.#users = Array.from({ length: USERS }, () => random.address());
  }

  any(): Address {
    return this.#at(Math.floor(this.#random.uniform() * USERS));
  }

  /** One of the few who trade the token: their token accounts are derived once, which takes a seventh of a trade. */
  of({ number }: { readonly number: number }): Address {
    const place = number * USERS_PER_TOKEN + Math.floor(this.#random.uniform() * USERS_PER_TOKEN);
    return this.#at(place % USERS);
  }

  #at(place: number): Address {
    const user = this.#users[place];
    if (user === undefined) throw new RangeError("there are no users");
    return user;
  }
}
