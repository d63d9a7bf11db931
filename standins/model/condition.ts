/** `when:` of an entry or a step: every member must hold over the facts; names are paths into them. */
import { readPath } from './path.ts'

export type Condition = Readonly<Record<string, unknown>>

export function holds(condition: Condition | undefined, facts: unknown): boolean {
  return Object.entries(condition ?? {}).every(([name, wanted]) => {
    if (name === 'any') return (wanted as Condition[]).some((one) => holds(one, facts))
    if (name === 'all') return (wanted as Condition[]).every((one) => holds(one, facts))
    if (name === 'not') return !holds(wanted as Condition, facts)
    return matches(readPath(facts, name), wanted)
  })
}

/** A list of facts meets a scalar by containing it; a list of wishes is met by any of them. */
function matches(value: unknown, wanted: unknown): boolean {
  if (Array.isArray(wanted)) return wanted.some((one) => matches(value, one))
  if (typeof wanted === 'object' && wanted !== null)
    return Object.entries(wanted).every(([name, operand]) => operator(name, value, operand))
  if (Array.isArray(value)) return value.includes(wanted)
  if (typeof wanted === 'boolean') return truth(value) === wanted
  return value === wanted || (typeof value === 'number' && String(value) === wanted)
}

function operator(name: string, value: unknown, operand: unknown): boolean {
  switch (name) {
    case 'is':
      return matches(value, operand)
    case 'not':
      return !matches(value, operand)
    case 'missing':
      return (value === undefined || value === null || value === '') === operand
    case 'includes':
      return typeof value === 'string'
        ? value.includes(String(operand))
        : Array.isArray(value) && value.includes(operand)
    case 'matches':
      return new RegExp(String(operand), 'ims').test(typeof value === 'string' ? value : JSON.stringify(value ?? ''))
    case 'atLeast':
      return typeof value === 'number' && value >= Number(operand)
    case 'atMost':
      return typeof value === 'number' && value <= Number(operand)
    default:
      return false
  }
}

/** `none` is how a fact says that there is nothing; an absent value and an empty list say it too. */
function truth(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : value !== 'none' && Boolean(value)
}

export const operators: readonly string[] = ['is', 'not', 'missing', 'includes', 'matches', 'atLeast', 'atMost']
