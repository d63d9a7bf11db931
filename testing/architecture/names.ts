import type { Node } from './syntax.ts'

/** Of an import, a re-export, a lazy import or an imported type: the names that it takes. */
export function importedBy(node: Node, above: readonly Node[]): string[] {
  if (node.type === 'ImportExpression') return takenLazily(above)
  if (node.type === 'TSImportType') return [node.qualifier?.left?.name ?? node.qualifier?.name ?? '*']
  if (node.specifiers === undefined) return ['*']
  return node.specifiers.map(({ type, imported, local }) => {
    if (type === 'ImportDefaultSpecifier') return 'default'
    if (type === 'ImportNamespaceSpecifier') return '*'
    return nameIn(type === 'ExportSpecifier' ? local : imported)
  })
}

/** `const { a } = await import(…)`, `(await import(…)).a`, `import(…).then(({ a }) => …)`; else anything. */
function takenLazily(above: readonly Node[]): string[] {
  const [parent, around, outer] = [above.at(-1), above.at(-2), above.at(-3)]
  if (parent?.type === 'AwaitExpression' && around?.type === 'VariableDeclarator') return keysOf(around.id)
  const taker = parent?.type === 'AwaitExpression' && around?.type === 'ParenthesizedExpression' ? outer : around
  if (parent?.type === 'AwaitExpression') return taker?.type === 'MemberExpression' ? [nameIn(taker.property)] : ['*']
  if (parent?.type === 'MemberExpression' && nameIn(parent.property) === 'then')
    return keysOf((around?.arguments?.[0] as Node | undefined)?.params?.[0])
  return ['*']
}

function keysOf(pattern: Node | null | undefined): string[] {
  if (pattern?.type !== 'ObjectPattern') return ['*']
  return (pattern.properties ?? []).map(({ key }) => nameIn(key))
}

/** The names that a node exports. */
export function exportedIn(node: Node): string[] {
  if (node.type === 'ExportDefaultDeclaration') return ['default']
  if (node.type !== 'ExportNamedDeclaration') return []
  const { declaration, specifiers = [] } = node
  if (declaration === null || declaration === undefined) return specifiers.map(({ exported }) => nameIn(exported))
  return (declaration.declarations ?? [declaration]).flatMap(({ id }) => boundBy(id))
}

function boundBy(pattern: Node | null | undefined): string[] {
  if (pattern?.type === 'ObjectPattern')
    return (pattern.properties ?? []).flatMap(({ value, argument }) => boundBy(argument ?? (value as Node | undefined)))
  if (pattern?.type === 'ArrayPattern')
    return (pattern.elements ?? []).flatMap((element) => boundBy(element as Node | null))
  if (pattern?.type === 'AssignmentPattern') return boundBy(pattern.left)
  if (pattern?.type === 'RestElement') return boundBy(pattern.argument)
  return typeof pattern?.name === 'string' ? [pattern.name] : []
}

function nameIn(node: Node | null | undefined): string {
  return node?.name ?? (typeof node?.value === 'string' ? node.value : '*')
}

const declarations = new Set([
  'FunctionDeclaration',
  'ClassDeclaration',
  'TSInterfaceDeclaration',
  'TSTypeAliasDeclaration',
  'VariableDeclarator',
])
const members = new Set(['MethodDefinition', 'PropertyDefinition', 'TSPropertySignature', 'TSMethodSignature'])

/** The names that a node gives itself. A parameter counts where its function stands, a property where a literal has it. */
export function declaredIn(node: Node, around: Node | undefined): string[] {
  const parameters = (node.params ?? []).flatMap((each) => boundBy(each))
  if (declarations.has(node.type)) return [...boundBy(node.id), ...parameters]
  if (members.has(node.type)) return node.computed === true ? parameters : [nameIn(node.key), ...parameters]
  if (node.type === 'Property' && around?.type === 'ObjectExpression')
    return node.shorthand === true || node.computed === true ? [] : [nameIn(node.key)]
  return parameters
}
