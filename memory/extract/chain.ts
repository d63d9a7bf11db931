import type { Node } from 'web-tree-sitter'
import { made, type Chain } from './facts.ts'
import type { ChainRules, TypeRules } from './language.ts'

/** Longer ways are written by programs, or by people whom no heuristic follows. */
const mostSteps = 12

/** An expression as steps, by the rules of its language; empty when it is more than names, members and calls. */
export function chainOf(node: Node | null, rules: ChainRules): Chain {
  const steps = node === null ? undefined : walk(node, rules, 0)
  return steps === undefined || steps.length > mostSteps ? [] : steps
}

function walk(node: Node, rules: ChainRules, depth: number): Chain | undefined {
  if (depth > mostSteps) return undefined
  const { type } = node
  const into = (field: string | null): Chain | undefined => {
    const child = field === null ? node.namedChild(0) : node.childForFieldName(field)
    return child === null ? undefined : walk(child, rules, depth + 1)
  }
  if (rules.names.includes(type)) return [node.text]
  const member = rules.members[type]
  if (member !== undefined) return join(into(member[0]), into(member[1]))
  const method = rules.methodCalls?.[type]
  if (method !== undefined) {
    const name = into(method[1])
    const whole = node.childForFieldName(method[0]) === null ? [] : into(method[0])
    return join(join(whole, name), ['()'])
  }
  const call = rules.calls[type]
  if (call !== undefined) return join(into(call), ['()'])
  const instance = rules.news[type]
  if (instance !== undefined) return join(into(instance), [made])
  const wrapper = rules.wrappers[type]
  return wrapper === undefined ? undefined : into(wrapper)
}

function join(whole: Chain | undefined, part: Chain | undefined): Chain | undefined {
  return whole === undefined || part === undefined ? undefined : [...whole, ...part]
}

const name = /^[A-Za-z_$][\w$]*$/
const decoration =
  /^(?:(?:[&*]|mut\s|const\s|readonly\s|dyn\s|impl\s|struct\s|enum\s|final\s|unsigned\s|static\s|'\w+\s)\s*)+/
const nothing = /\s*\|\s*(?:null|undefined|None)\b|\b(?:null|undefined|None)\s*\|\s*/g

/** Longer is no name: what is taken off one by one would take minutes. */
const longestType = 1000

/** The type that a text names, as steps; empty for unions, functions, lists and what else is no one definition. */
export function typeChain(text: string, rules: TypeRules): Chain {
  if (text.length > longestType) return []
  let type = text.trim().replace(/^(?::|->)\s*/, '')
  for (let before = ''; before !== type;) {
    before = type
    type = type
      .replace(decoration, '')
      .replace(/[?*&\s]+$/, '')
      .replaceAll(nothing, '')
      .replace(/^['"](.*)['"]$/, '$1')
      .trim()
    type = unwrapped(type, rules)
  }
  const generic = /^([\w$.:]+)\s*(?:<[^]*>|\[[^]*\])$/.exec(type)
  if (generic !== null && !type.endsWith('[]')) type = generic[1] ?? type
  const steps = type.split(rules.separator)
  return steps.every((each) => name.test(each)) ? steps : []
}

/** `Promise<A>` passes for `A`: who awaits it has an `A`, and the methods of promises are nobody's. */
function unwrapped(type: string, { transparent }: TypeRules): string {
  const match = /^([\w$.:]+)\s*[<[]\s*([^]+)[>\]]$/.exec(type)
  if (match === null) return type
  const [, outer = '', inner = ''] = match
  return transparent.includes(outer) ? firstOf(inner) : type
}

function firstOf(parameters: string): string {
  let depth = 0
  for (let at = 0; at < parameters.length; at += 1) {
    const sign = parameters[at] ?? ''
    if ('<[({'.includes(sign)) depth += 1
    else if ('>])}'.includes(sign)) depth -= 1
    else if (sign === ',' && depth === 0) return parameters.slice(0, at).trim()
  }
  return parameters.trim()
}
