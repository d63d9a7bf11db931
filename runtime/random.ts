/** A number in [0, 1), as `Math.random` gives it; a seeded one in simulations. */
export type Random = () => number

/** mulberry32. Recorded seeds and the communities of the memory depend on its draws: they never change. */
export function seeded(seed: number): Random {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
