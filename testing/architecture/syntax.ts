/** What the rules read of a node of the parser's tree (ESTree with TypeScript). */
export interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly id?: Node | null
  readonly key?: Node
  readonly name?: string
  readonly value?: unknown
  readonly body?: unknown
  readonly source?: Node | null
  readonly callee?: Node
  readonly arguments?: readonly unknown[]
  readonly elements?: readonly unknown[]
  readonly declaration?: Node | null
  readonly declarations?: readonly Node[]
  readonly specifiers?: readonly Node[]
  readonly imported?: Node
  readonly exported?: Node
  readonly local?: Node
  readonly qualifier?: Node | null
  readonly left?: Node
  readonly properties?: readonly Node[]
  readonly object?: Node
  readonly property?: Node
  readonly init?: Node | null
  readonly params?: readonly Node[]
  readonly argument?: Node
  readonly shorthand?: boolean
  readonly computed?: boolean
  readonly importKind?: string
  readonly exportKind?: string
  readonly typeAnnotation?: Node
  readonly typeName?: Node
}

/** Visits every node with the nodes around it, the nearest last. */
export function walk(value: object, visit: (node: Node, above: readonly Node[]) => void, above: Node[] = []): void {
  if (Array.isArray(value)) {
    for (const item of value) if (typeof item === 'object' && item !== null) walk(item, visit, above)
    return
  }
  const node = value as Node
  const isNode = typeof node.type === 'string'
  if (isNode) {
    visit(node, above)
    above.push(node)
  }
  for (const key in value) {
    const child = (value as Readonly<Record<string, unknown>>)[key]
    if (typeof child === 'object' && child !== null) walk(child, visit, above)
  }
  if (isNode) above.pop()
}

const functionTypes = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression'])

/** The name of a function with a body; absent for all other nodes. A callback has the name of its caller's function. */
export function functionNameOf(node: Node, above: readonly Node[]): string | undefined {
  if (!functionTypes.has(node.type) || node.body === null || node.body === undefined) return undefined
  const parent = above.at(-1)
  const own = node.id?.name ?? parent?.id?.name ?? keyName(parent)
  if (own !== undefined) return own
  for (let depth = above.length - 1; depth > 0; depth -= 1) {
    const around = functionNameOf(above[depth]!, above.slice(0, depth))
    if (around !== undefined) return `${around} (callback)`
  }
  return '(callback)'
}

function keyName(parent: Node | undefined): string | undefined {
  const { name, value } = parent?.key ?? {}
  return name ?? (typeof value === 'string' ? value : undefined)
}
