/**
 * `{{path}}`, `{{first || second || 'a literal'}}`. A string that is one template alone keeps the value's type, so a
 * number stays a number; `\{{` is two braces. A value that isn't there is an error that names it, never an empty string.
 */
import { readPath } from './path.ts'

const template = /\\\{\{|\{\{([^{}]+)\}\}/g
const whole = /^\{\{([^{}]+)\}\}$/

export class MissingValue extends Error {
  readonly expression: string
  constructor(expression: string) {
    super(`nothing is known yet as {{${expression}}}`)
    this.expression = expression
  }
}

/** Fills the templates of every string in the value, keys excepted. */
export function fill<Value>(value: Value, facts: unknown): Value {
  return fillAny(value, facts) as Value
}

function fillAny(value: unknown, facts: unknown): unknown {
  if (typeof value === 'string') return fillText(value, facts)
  if (Array.isArray(value)) return value.map((item) => fillAny(item, facts))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fillAny(item, facts)]))
}

function fillText(text: string, facts: unknown): unknown {
  const alone = whole.exec(text.trim())
  if (alone?.[1] !== undefined) return evaluate(alone[1], facts)
  return text.replaceAll(template, (_, expression: string | undefined) =>
    expression === undefined ? '{{' : print(evaluate(expression, facts)),
  )
}

function evaluate(expression: string, facts: unknown): unknown {
  for (const term of expression.split('||').map((part) => part.trim())) {
    const literal = /^'([^']*)'$|^"([^"]*)"$/.exec(term)
    if (literal !== null) return literal[1] ?? literal[2]
    const value = readPath(facts, term)
    if (value !== undefined && value !== null && value !== '') return value
  }
  throw new MissingValue(expression.trim())
}

function print(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** The parts of a text that are the same however its templates are filled. */
export function fixedParts(text: string): readonly string[] {
  return text.split(template).filter((_, index) => index % 2 === 0)
}
