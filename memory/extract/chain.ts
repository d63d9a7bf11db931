import type { Node } from 'web-tree-sitter'
import { classItself, each, item, keyed, listed, made, type Chain } from './facts.ts'
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
  if (call !== undefined) {
    const passing = rules.passing?.[node.childForFieldName(call)?.text ?? '']
    if (passing === undefined) return join(into(call), ['()'])
    const first = node.childForFieldName('arguments')?.namedChild(0) ?? null
    const whole = first === null ? undefined : walk(first, rules, depth + 1)
    return join(whole, passing === 'each' ? [each] : [])
  }
  const keyedBy = rules.items?.[type]
  if (keyedBy !== undefined) return join(into(keyedBy), [item])
  const instance = rules.news[type]
  if (instance !== undefined) return join(into(instance), [made])
  const wrapper = rules.wrappers[type]
  if (wrapper === undefined) return undefined
  const [receiver, sign = ''] = rules.receives ?? []
  return join(into(wrapper), receiver === type && node.text.startsWith(sign) ? [each] : [])
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
  return text.length > longestType ? [] : named(bareType(text, rules), rules)
}

/** The type of a value: of lists and maps that of their elements, with a mark for each that is around it. */
export function valueType(text: string, rules: TypeRules): Chain {
  if (text.length > longestType) return []
  const type = bareType(text, rules)
  const held = heldBy(type, rules)
  if (held === undefined) return named(type, rules)
  const inner = valueType(held[0], rules)
  return inner.length === 0 ? [] : [...inner, held[1]]
}

const names = /[A-Za-z_$][\w$]*(?:(?:\.|::)[A-Za-z_$][\w$]*)*/g

/** Each name in the text of a type, as steps, also of what is no one definition. */
export function typeNames(text: string, { separator, texts }: TypeRules): Chain[] {
  if (text.length > longestType) return []
  const named = texts === undefined ? text : text.replaceAll(texts, '')
  return [...named.matchAll(names)].map(([path]) => path.split(separator))
}

function bareType(text: string, rules: TypeRules): string {
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
  return type
}

function named(whole: string, rules: TypeRules): Chain {
  const generic = /^([\w$.:]+)\s*(?:<[^]*>|\[[^]*\])$/.exec(whole)
  const type = generic === null || whole.endsWith('[]') ? whole : (generic[1] ?? whole)
  const steps = type.split(rules.separator)
  return steps.every((step) => name.test(step)) ? steps : []
}

const parametrized = /^([\w$.:]+)\s*[<[]\s*([^]+)[>\]]$/

/** `Promise<A>` passes for `A`: who awaits it has an `A`, and the methods of promises are nobody's. */
function unwrapped(type: string, { transparent }: TypeRules): string {
  const match = parametrized.exec(type)
  if (match === null) return type
  const [, outer = '', inner = ''] = match
  return transparent.includes(outer) || transparent.includes(lastPart(outer)) ? (parametersOf(inner)[0] ?? '') : type
}

/** What a list or a map holds. Tuples of several types are none: which one is meant, an index alone says. */
function heldBy(type: string, rules: TypeRules): readonly [of: string, mark: string] | undefined {
  const written = rules.held?.(type)
  if (written !== undefined) return written
  const match = parametrized.exec(type)
  if (match === null) return undefined
  const name = lastPart(match[1] ?? '')
  const parameters = parametersOf(match[2] ?? '')
  const [first = '', second] = parameters
  if (rules.classItself?.includes(name) === true) return [first, classItself]
  if (rules.keyed?.includes(name) === true) return [parameters.at(-1) ?? '', keyed]
  const several = /^tuple$/i.test(name) && second !== '...' && parameters.length > 1
  return rules.listed?.includes(name) === true && !several ? [first, listed] : undefined
}

function lastPart(path: string): string {
  return path.split(/[.:]+/).at(-1) ?? path
}

function parametersOf(text: string): readonly string[] {
  const parameters: string[] = []
  let depth = 0
  let start = 0
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at] ?? ''
    if ('<[({'.includes(sign)) depth += 1
    else if ('>])}'.includes(sign)) depth -= 1
    else if (sign === ',' && depth === 0) {
      parameters.push(text.slice(start, at).trim())
      start = at + 1
    }
  }
  return [...parameters, text.slice(start).trim()].filter((parameter) => parameter !== '')
}
