/** Calls of tools in whatever notation models and their frameworks write them. */
import { toolNames } from '../../machines/turn/tools.ts'
import type { Order } from './order.ts'

type Arguments = Readonly<Record<string, unknown>>

export function callsIn(text: string): readonly Order[] {
  return [...objectsIn(text).flatMap(orderOf), ...markupCalls(text), ...functionCalls(text), ...bareNames(text)]
}

/** Everything between balanced braces that JSON can read; the outermost first, then what is inside of it. */
export function objectsIn(text: string): readonly Arguments[] {
  const found: Arguments[] = []
  for (let start = text.indexOf('{'); start >= 0 && found.length < 40; start = text.indexOf('{', start + 1)) {
    const value = objectAt(text, start)
    if (value) found.push(value)
  }
  return found
}

function objectAt(text: string, start: number): Arguments | undefined {
  let depth = 0
  for (let index = start; index < Math.min(text.length, start + 20_000); index += 1) {
    if (text[index] === '{') depth += 1
    if (text[index] === '}') depth -= 1
    if (depth === 0) return parse(text.slice(start, index + 1))
  }
  return undefined
}

function parse(text: string): Arguments | undefined {
  for (const one of [text, text.replaceAll("'", '"'), text.replaceAll('\\"', '"')])
    try {
      return JSON.parse(one) as Arguments
    } catch {
      // The next way of writing it.
    }
  return undefined
}

function orderOf(object: Arguments): readonly Order[] {
  const name = object['name'] ?? object['tool'] ?? object['tool_name'] ?? object['function'] ?? object['recipient_name']
  const inner = object['arguments'] ?? object['input'] ?? object['args'] ?? object['parameters'] ?? object['params']
  const args = typeof inner === 'string' ? (parse(inner) ?? {}) : ((inner ?? {}) as Arguments)
  if (typeof name === 'string') return [{ does: 'call', tool: bare(name), args }]
  const url = object['url'] ?? object['path'] ?? object['endpoint']
  const method = object['method']
  if (typeof url === 'string' && typeof method === 'string') {
    const body = object['body'] ?? object['data'] ?? object['json']
    const sent = body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }
    return [{ does: 'request', method: method.toUpperCase(), url, ...sent }]
  }
  return toolsFor(object).map((tool) => ({ does: 'call', tool, args: object }))
}

/** Whose arguments these could be. */
function toolsFor(object: Arguments): readonly string[] {
  const has = (...names: readonly string[]): boolean => names.some((name) => name in object)
  return [
    ...(has('verdict', 'approval_citations', 'change_significance', 'proposals', 'folds', 'closes', 'decline_reason') ||
    ['approved', 'submitted', 'rejected', 'declined', 'discuss', 'propose', 'file_issue'].includes(
      String(object['action']),
    )
      ? ['submit_outcome']
      : []),
    ...(['create', 'edit', 'close', 'comment'].includes(String(object['action'])) ? ['issue_write', 'mr_write'] : []),
    ...(object['action'] === 'open' ? ['mr_write'] : []),
    ...(has('comment_external_id') ? ['mr_takeover_request'] : []),
    ...(has('text') && !has('mode', 'action') ? ['memory_write'] : []),
    ...(has('kind') && has('body') ? ['task_note'] : []),
  ]
}

/** `<invoke name="x"><parameter name="y">z</parameter></invoke>`, with or without a namespace. */
function markupCalls(text: string): readonly Order[] {
  const invokes = text.matchAll(
    /<(?:\w+:)?(?:invoke|function|tool(?:_use|_call)?)\s*[= ](?:name=)?"?(\w+)"?[^>]*>([\s\S]*?)<\//g,
  )
  return [...invokes].map(([whole, tool = '']) => {
    const from = text.indexOf(whole)
    const region = text.slice(from, from + 4000)
    const pairs = region.matchAll(/<(?:\w+:)?parameter\s*[= ](?:name=)?"?(\w+)"?>([\s\S]*?)<\/(?:\w+:)?parameter>/g)
    return {
      does: 'call',
      tool: bare(tool),
      args: Object.fromEntries([...pairs].map(([, key = '', value = '']) => [key, valueOf(value)])),
    }
  })
}

/** `issue_write(action="comment", number=3)`. */
function functionCalls(text: string): readonly Order[] {
  const names = toolNames.join('|')
  return [...text.matchAll(new RegExp(`\\b(${names})\\s*\\(([^)]*)\\)`, 'g'))].map(([, tool = '', inside = '']) => {
    const pairs = inside.matchAll(/(\w+)\s*[=:]\s*("(?:[^"\\]|\\.)*"|'[^']*'|[^,\s]+)/g)
    return {
      does: 'call',
      tool,
      args: Object.fromEntries([...pairs].map(([, key = '', value = '']) => [key, valueOf(value)])),
    }
  })
}

/** A tool that is only named is called, with the words around it for its arguments. */
function bareNames(text: string): readonly Order[] {
  return toolNames
    .filter((tool) => new RegExp(`\\b${tool}\\b`).test(text))
    .map((tool) => {
      const at = text.indexOf(tool)
      const pairs = text.slice(at, at + 400).matchAll(/\b([a-z_]+)\s*[=:]\s*("(?:[^"\\]|\\.)*"|[\w./-]+)/g)
      return {
        does: 'call',
        tool,
        args: Object.fromEntries([...pairs].map(([, key = '', value = '']) => [key, valueOf(value)])),
      }
    })
}

function valueOf(text: string): unknown {
  const trimmed = text.trim()
  try {
    return JSON.parse(trimmed) as unknown
  } catch {
    return trimmed.replaceAll(/^['"]|['"]$/g, '')
  }
}

/** `mcp__platform__issue_write` and `functions.issue_write` are the tool behind them. */
function bare(name: string): string {
  return name.split(/__|\./).at(-1) ?? name
}
