/** A number in [0, 1), as `Math.random` gives it; a seeded one in simulations. */
export type Random = () => number

/** Makes identifiers that nobody else makes. */
export interface Ids {
  next(): string
}

/** Ids drawn from the given randomness: as repeatable as it is. 80 bits, lower-case base 32. */
export function randomIds(random: Random): Ids {
  const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'
  return {
    next: () => Array.from({ length: 16 }, () => alphabet[Math.floor(random() * alphabet.length)]).join(''),
  }
}
