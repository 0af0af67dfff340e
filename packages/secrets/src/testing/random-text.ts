/** Generates pseudo-random text from alphabets, the same for the same seed. */
export class RandomText {
  #state: number;

  constructor(seed: number) {
    this.#state = (seed % 2_147_483_646) + 1;
    for (let warmUp = 0; warmUp < 5; warmUp++) this.#next();
  }

  /** Returns a whole number from 0 to below `bound`. */
  below(bound: number): number {
    return Math.floor(this.#next() * bound);
  }

  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)] as T;
  }

  /** Returns random characters of an alphabet. */
  of(alphabet: string, length: number): string {
    let text = "";
    for (let index = 0; index < length; index++) text += alphabet.charAt(this.below(alphabet.length));
    return text;
  }

  /** Letters and digits. */
  alnum(length: number): string {
    return this.of(`${LOWER}${UPPER}${DIGITS}`, length);
  }

  /** Lower-case letters and digits. */
  lower(length: number): string {
    return this.of(`${LOWER}${DIGITS}`, length);
  }

  /** Upper-case letters and digits. */
  upper(length: number): string {
    return this.of(`${UPPER}${DIGITS}`, length);
  }

  digits(length: number): string {
    return this.of(DIGITS, length);
  }

  hex(length: number): string {
    return this.of(`${DIGITS}abcdef`, length);
  }

  /** Without padding. */
  base64(length: number): string {
    return this.of(`${LOWER}${UPPER}${DIGITS}+/`, length);
  }

  /** Without padding; ends with a letter or digit. */
  base64url(length: number): string {
    return this.of(`${LOWER}${UPPER}${DIGITS}-_`, length - 1) + this.alnum(1);
  }

  uuid(): string {
    return [this.hex(8), this.hex(4), `4${this.hex(3)}`, `a${this.hex(3)}`, this.hex(12)].join("-");
  }

  /** Makes a password as people and password managers do, with several classes of characters. */
  password(): string {
    return this.pick([
      () => `${this.pick(WORDS)}${this.digits(4)}${this.pick(["!", "?", "#", "$"])}`,
      () => `${this.of(LOWER, 4)}-${this.of(UPPER, 3)}${this.digits(2)}-${this.of(LOWER, 5)}`,
      () => `${this.of(UPPER, 2)}${this.alnum(12)}${this.digits(2)}`,
      () => `${this.of(LOWER, 3)}!${this.of(UPPER, 2)}${this.digits(3)}${this.of("^*_.~", 1)}${this.of(LOWER, 3)}`,
    ])();
  }

  #next(): number {
    this.#state = (this.#state * 48_271) % 2_147_483_647;
    return this.#state / 2_147_483_647;
  }
}

const LOWER = "abcdefghijklmnopqrstuvwxyz";
const UPPER = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const DIGITS = "0123456789";
const WORDS = ["Harbour", "Quartz", "Lantern", "Mosaic", "Pepper", "Walnut", "Copper", "Meadow"];
