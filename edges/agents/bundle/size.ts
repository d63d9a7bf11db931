/** What a text takes of a budget, and what a budget has: bytes, and tokens of a model. */
import { bytesOf } from './escape.ts'
import { tokensAtMost } from './tokens.ts'

export interface Size {
  readonly bytes: number
  readonly tokens: number
}

const defaultBytes = 400_000
/**
 * 140,000 tokens of the default budget: with 22,000 of the CLI and 3,800 of the tools, all 1.2 times for another vocabulary, they fit
 * into a window of 200,000. Who raises the bytes has a larger window.
 */
const tokensOfAByte = 0.35

export const nothing: Size = { bytes: 0, tokens: 0 }
export const boundless: Size = { bytes: Number.POSITIVE_INFINITY, tokens: Number.POSITIVE_INFINITY }

export function budgetOf(maxBytes: number): Size {
  return { bytes: maxBytes, tokens: Math.floor(Math.max(maxBytes, defaultBytes) * tokensOfAByte) }
}

export function sizeOf(text: string): Size {
  return { bytes: bytesOf(text), tokens: tokensAtMost(text) }
}

export function sumOf(sizes: readonly Size[]): Size {
  return sizes.reduce((sum, { bytes, tokens }) => ({ bytes: sum.bytes + bytes, tokens: sum.tokens + tokens }), nothing)
}

export function minus(budget: Size, { bytes, tokens }: Size): Size {
  return { bytes: budget.bytes - bytes, tokens: budget.tokens - tokens }
}

export function halfOf({ bytes, tokens }: Size): Size {
  return { bytes: Math.floor(bytes / 2), tokens: Math.floor(tokens / 2) }
}

export function fitsIn({ bytes, tokens }: Size, budget: Size): boolean {
  return bytes <= budget.bytes && tokens <= budget.tokens
}
