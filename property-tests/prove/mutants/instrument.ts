/**
 * Loads the machines with a switch at each conjunct and each effect: one process holds every mutant of the sources, and
 * turns on one at a time. Preloaded (`node --import`), before any machine is.
 */
import { readFileSync } from 'node:fs'
import { registerHooks, stripTypeScriptTypes } from 'node:module'
import { fileURLToPath } from 'node:url'
import { parseAst } from 'rolldown/parseAst'
import { points, type Point } from './points.ts'

interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [field: string]: unknown
}

interface Edit {
  readonly node: Node
  readonly sort: Point['sort']
}

const emitters = /^(effect|answer|tell(Task|Pod|Turn|Queue|Issue|MergeRequest|Ledger|Project))$/

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value
}

/** Every node, outer ones first. */
function walk(node: Node, visit: (node: Node) => void): void {
  visit(node)
  for (const value of Object.values(node))
    for (const inner of Array.isArray(value) ? value : [value]) if (isNode(inner)) walk(inner, visit)
}

function operandsOf(node: Node): readonly Node[] {
  const { left, right } = node as Node & { readonly left: Node; readonly right: Node }
  const isChain = left.type === 'LogicalExpression' && left['operator'] === '&&'
  return isChain ? [right] : [left, right]
}

function editsIn(program: Node): readonly Edit[] {
  const edits: Edit[] = []
  walk(program, (node) => {
    if (node.type === 'LogicalExpression' && node['operator'] === '&&')
      for (const operand of operandsOf(node)) edits.push({ node: operand, sort: 'conjunct' })
    if (node.type === 'CallExpression' && emitters.test(String((node['callee'] as Node)['name'])))
      edits.push({ node, sort: 'effect' })
  })
  return edits
}

/** `emit.ts` makes the effects that others name: a switch there would be all of them at once. `drive.ts` decides nothing. */
const untouched = /\/(emit|drive)\.ts$/

function switched(path: string, code: string): string {
  if (untouched.test(path)) return code
  const edits = editsIn(parseAst(code) as unknown as Node)
  const inserts = edits.flatMap(({ node, sort }) => {
    const line = code.slice(0, node.start).split('\n').length
    const number = points.push({ path, line, sort, text: code.slice(node.start, node.end).replaceAll(/\s+/g, ' ') }) - 1
    const otherwise = sort === 'conjunct' ? 'true' : '__mutants.dropped'
    return [
      {
        at: node.start,
        text: `(__mutants.isOn(${number})?${otherwise}:__mutants.${sort}(${number},(`,
        size: node.end - node.start,
      },
      { at: node.end, text: ')))', size: -(node.end - node.start) },
    ]
  })
  // At one place what ends comes before what begins; of those that begin the larger first, of those that end the smaller.
  const ordered = inserts.toSorted((a, b) => a.at - b.at || Number(a.size > 0) - Number(b.size > 0) || b.size - a.size)
  let [text, from] = ['', 0]
  for (const insert of ordered) {
    text += code.slice(from, insert.at) + insert.text
    from = insert.at
  }
  return text + code.slice(from)
}

registerHooks({
  load(url, context, nextLoad) {
    if (!/\/machines\/(?!generated\/).*\.ts$/.test(url) || url.includes('/property-tests/'))
      return nextLoad(url, context)
    const path = fileURLToPath(url)
    const code = stripTypeScriptTypes(readFileSync(path, 'utf8'))
    return {
      format: 'module',
      source: switched(path.slice(path.lastIndexOf('/machines/') + 1), code),
      shortCircuit: true,
    }
  },
})
