/** An `expect` step over the answer of the call before it, or over the value it names. */
import type { ExpectStep } from '../scenarios/format.ts'
import type { Facts } from './facts.ts'
import { fill } from './template.ts'

/** What is wrong, undefined when the expectation holds. */
export function unmet(step: ExpectStep, lastAnswer: string, facts: Facts): string | undefined {
  const { value, contains, lacks, matches } = step.expect
  const text = value === undefined ? lastAnswer : print(fill(value, facts))
  const seen = `the answer was: ${text.length > 400 ? `${text.slice(0, 400)}...` : text}`
  if (contains !== undefined && !text.includes(print(fill(contains, facts))))
    return `expected the answer to contain "${contains}"; ${seen}`
  if (lacks !== undefined && text.includes(print(fill(lacks, facts))))
    return `expected the answer to lack "${lacks}"; ${seen}`
  if (matches !== undefined && !new RegExp(matches, 'ims').test(text))
    return `expected the answer to match /${matches}/; ${seen}`
  return undefined
}

function print(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
