/** Answers by which the provider withholds the model from the key itself, whatever is asked and whoever asks. */
import type { Withholding } from '../../machines/turn/schema.ts'
import { asObject, asText } from '../turns/transcript.ts'

export interface Withheld {
  readonly cause: Withholding
  /** The provider's own words, at most 300 characters; empty where headers alone say it. */
  readonly message: string
  /** RFC 3339, where the provider says it. */
  readonly resetsAt?: string
}

const mostWords = 300

/**
 * Errors that name their cause by type (platform.claude.com, errors), and those of a general type by their first words, as
 * users report them of the API (anthropics/claude-code#85675, #38035, #9635, #19028). Words of a request that an error
 * repeats never stand first. A 403 for a model that the key may not use says nothing of other models.
 */
const general: readonly (readonly [RegExp, Withholding])[] = [
  [/^Your credit balance is too low/, 'no_credit'],
  [/^You have reached your specified API usage limits/, 'no_credit'],
  [/^OAuth (token|authentication) /, 'key_refused'],
  [/^Account is no longer a member of the organization/, 'key_refused'],
  [/^This organization has been disabled/, 'key_refused'],
]
const byType: Readonly<Record<string, Withholding>> = {
  authentication_error: 'key_refused',
  billing_error: 'no_credit',
}

/** `answer`: the body of a failed request, as JSON. */
export function withheldBy(answer: unknown): Withheld | undefined {
  const { type, message } = asObject(asObject(answer)['error'])
  const words = asText(message)
  const cause = byType[asText(type)] ?? general.find(([start]) => start.test(words))?.[1]
  if (cause === undefined) return undefined
  const resetsAt = regained(words)
  return { cause, message: words.slice(0, mostWords), ...(resetsAt === undefined ? {} : { resetsAt }) }
}

/** A spend limit says when it ends in words. */
function regained(words: string): string | undefined {
  const found = /You will regain access on (\d{4}-\d{2}-\d{2}) at (\d{2}:\d{2}) UTC/.exec(words)
  const at = found ? Date.parse(`${found[1]}T${found[2]}:00Z`) : NaN
  return Number.isNaN(at) ? undefined : new Date(at).toISOString()
}
