/** A small generator of good quality (mulberry32): what is drawn from it is a function of the seed alone. */
export function drawer(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

export function pick<T>(draw: () => number, from: readonly [T, ...T[]]): T {
  return from[Math.floor(draw() * from.length)] ?? from[0]
}
