/** Everything random of a schedule comes from its seed, by named dice: what one rolls never shifts what another does. */
export interface Dice {
  /** In [0, 1), as the runtime wants it. */
  fraction(): number
  /** Both ends included. */
  whole(from: number, to: number): number
  chance(probability: number): boolean
  pick<T>(choices: readonly T[]): T
  /** By weight: `[[3, 'often'], [1, 'rarely']]`. */
  weighted<T>(choices: readonly (readonly [weight: number, choice: T])[]): T
}

export function dice(seed: number, name: string): Dice {
  const next = sfc32(seed, hashed(name))
  const fraction = (): number => next() / 2 ** 32
  return {
    fraction,
    whole: (from, to) => from + Math.floor(fraction() * (to - from + 1)),
    chance: (probability) => fraction() < probability,
    pick: (choices) => choices[Math.floor(fraction() * choices.length)]!,
    weighted(choices) {
      let left = fraction() * choices.reduce((sum, [weight]) => sum + weight, 0)
      return (choices.find(([weight]) => (left -= weight) < 0) ?? choices.at(-1)!)[1]
    },
  }
}

/** Rolls to be thrown away until the words of the seed have mixed. */
const warmUp = 12

/** Small fast counter by Chris Doty-Humphrey (PractRand): 128 bits of state, passes its author's suite. */
function sfc32(seed: number, stream: number): () => number {
  let a = seed >>> 0
  let b = Math.floor(seed / 2 ** 32) >>> 0
  let c = stream
  let counter = 1
  function next(): number {
    const result = (a + b + counter) >>> 0
    counter = (counter + 1) >>> 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) >>> 0
    c = (((c << 21) | (c >>> 11)) + result) >>> 0
    return result
  }
  for (let roll = 0; roll < warmUp; roll++) next()
  return next
}

function hashed(name: string): number {
  let hash = 0x811c9dc5
  for (const letter of name) hash = Math.imul(hash ^ letter.codePointAt(0)!, 0x01000193) >>> 0
  return hash
}
