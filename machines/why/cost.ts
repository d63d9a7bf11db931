/** What the turns of a Task cost, in the words of `statewright why` and of a card on the board. */
export interface Cost {
  readonly turns: number
  readonly tokens: number
  /** List price; 0 for a model without a known one. */
  readonly usd: number
}

/** The key of a scripted model begins so: whoever starts one makes its key. */
export const scriptedModelKey = 'sk-ant-scripted-'

/** Of a scripted model nobody pays what it counts. */
export function costLine({ turns, tokens, usd }: Cost, isScripted = false): string {
  const made = `${grouped(turns)} ${turns === 1 ? 'turn' : 'turns'}`
  if (isScripted) return `${made}; no model is asked, and nothing is spent`
  const price = usd === 0 ? '' : `, about ${usd.toFixed(2)} USD`
  return `${made}, ${grouped(tokens)} tokens${price} so far`
}

export function grouped(count: number): string {
  return count.toLocaleString('en-US')
}
