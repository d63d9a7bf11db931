/** What JavaScript, TypeScript and TSX have in common. */
import type { Node } from 'web-tree-sitter'
import { listed, type ImportedName } from '../facts.ts'
import type { ChainRules, ImportAtNode, Language } from '../language.ts'

const functions = '[(arrow_function) (function_expression) (generator_function)]'

export const ecmascriptQueries = `
(function_declaration name: (identifier) @name) @def.function
(generator_function_declaration name: (identifier) @name) @def.function
(method_definition name: (_) @name) @def.method
(method_definition ["get" "set"] name: (_) @name) @def.method @property
(variable_declarator name: (identifier) @name value: ${functions}) @def.function
(variable_declarator name: (identifier) @name value: (class)) @def.class
(program [(lexical_declaration (variable_declarator name: (identifier) @name) @def.variable)
          (variable_declaration (variable_declarator name: (identifier) @name) @def.variable)])
(program (export_statement (lexical_declaration (variable_declarator name: (identifier) @name) @def.variable)))
(variable_declarator value: (object (pair key: (_) @name value: ${functions}) @def.method))
(assignment_expression right: (object (pair key: (_) @name value: ${functions}) @def.method))
(variable_declarator name: (identifier) @name value: (object)) @def.variable
(return_statement (_) @returned)
(assignment_expression left: (identifier) @name right: ${functions}) @def.function
(assignment_expression
  left: (member_expression object: (_) @owner property: (_) @name) right: ${functions}) @def.method

[(statement_block) (function_declaration) (generator_function_declaration) (function_expression) (generator_function)
 (arrow_function) (method_definition) (for_statement) (for_in_statement) (catch_clause) (class_static_block)
 (switch_body)] @scope

(object_pattern (shorthand_property_identifier_pattern) @bind)
(object_pattern (object_assignment_pattern left: (shorthand_property_identifier_pattern) @bind))
(variable_declarator name: (object_pattern (shorthand_property_identifier_pattern) @bind.member) value: (_) @value)
(variable_declarator
  name: (object_pattern (pair_pattern key: (property_identifier) @member value: (identifier) @bind)) value: (_) @value)
(pair_pattern value: (identifier) @bind)
(array_pattern (identifier) @bind)
(rest_pattern (identifier) @bind)
(arrow_function parameter: (identifier) @bind)
(catch_clause parameter: (identifier) @bind)
(for_in_statement left: (identifier) @bind)
(for_in_statement left: (identifier) @bind operator: "of" right: (_) @each)

(assignment_expression left: (member_expression object: (this) @owner property: (_) @field) right: (_) @value)

(call_expression function: (_) @callee) @call
(new_expression constructor: (_) @callee) @new
(decorator (identifier) @ref)
(binary_expression operator: "instanceof" right: (_) @ref)
(arguments (identifier) @ref)
(pair value: (identifier) @ref)
(array (identifier) @ref)
(object (shorthand_property_identifier) @ref)

(import_statement) @import
(export_statement source: (string)) @import
(call_expression function: [(identifier) (import)] @_load arguments: (arguments . (string) .)
  (#match? @_load "^(require|import)$")) @import

(export_statement declaration: (_) @exported)
(export_statement "default" declaration: (_) @exported.default)
(export_statement "default" value: (_) @value) @export.default
(export_statement (export_clause (export_specifier name: (_) @value alias: (_) @export)) !source)
(export_statement (export_clause (export_specifier name: (_) @export.same !alias)) !source)
(assignment_expression
  left: (member_expression object: (identifier) @_m property: (property_identifier) @_e) @export.all right: (_) @value
  (#eq? @_m "module") (#eq? @_e "exports"))
(assignment_expression left: (member_expression object: (identifier) @_m property: (property_identifier) @_e)
  right: (object (shorthand_property_identifier) @export.same) (#eq? @_m "module") (#eq? @_e "exports"))
(assignment_expression left: (member_expression object: (identifier) @_m property: (property_identifier) @_e)
  right: (object (pair key: (property_identifier) @export value: (_) @value)) (#eq? @_m "module") (#eq? @_e "exports"))
(assignment_expression left: (member_expression object: (identifier) @_m property: (property_identifier) @_e)
  right: (object [(method_definition) (pair)] @exported) (#eq? @_m "module") (#eq? @_e "exports"))
(assignment_expression left: (member_expression object: (identifier) @_e property: (property_identifier) @export)
  right: (_) @value (#eq? @_e "exports"))
(assignment_expression
  left: (member_expression object: (member_expression object: (identifier) @_m property: (property_identifier) @_e)
  property: (property_identifier) @export) right: (_) @value (#eq? @_m "module") (#eq? @_e "exports"))
(assignment_expression left: (member_expression object: (identifier) @_e) right: ${functions}
  (#eq? @_e "exports")) @exported
(assignment_expression
  left: (member_expression object: (member_expression object: (identifier) @_m property: (property_identifier) @_e))
  right: ${functions} (#eq? @_m "module") (#eq? @_e "exports")) @exported
`

export const ecmascriptChains: ChainRules = {
  names: [
    'identifier',
    'this',
    'super',
    'property_identifier',
    'private_property_identifier',
    'shorthand_property_identifier',
    'type_identifier',
  ],
  members: { member_expression: ['object', 'property'], nested_identifier: ['object', 'property'] },
  calls: { call_expression: 'function' },
  news: { new_expression: 'constructor' },
  items: { subscript_expression: 'object' },
  wrappers: { parenthesized_expression: null, await_expression: null, non_null_expression: null },
}

const quotes = /^['"`]|['"`]$/g

function readEcmascriptImport(node: Node): readonly ImportAtNode[] {
  if (node.type === 'call_expression') return readLoad(node)
  const source = sourceOf(node)
  if (source === undefined) return []
  return node.type === 'export_statement' ? [readReexport(node, source)] : [readStatement(node, source)]
}

function sourceOf(node: Node): string | undefined {
  const required = node.namedChildren.find((child) => child?.type === 'import_require_clause')
  const source = (required ?? node).childForFieldName('source')
  return source === null ? undefined : source.text.replaceAll(quotes, '')
}

function readStatement(node: Node, source: string): ImportAtNode {
  const names: ImportedName[] = []
  let namespace: string | undefined
  for (const child of node.namedChildren.flatMap((each) =>
    each.type === 'import_clause' ? each.namedChildren : [each],
  ))
    if (child.type === 'identifier') names.push({ name: 'default', local: child.text })
    else if (child.type === 'namespace_import') namespace = child.namedChild(0)?.text
    else if (child.type === 'import_require_clause') namespace = child.namedChild(0)?.text
    else if (child.type === 'named_imports') names.push(...specifiers(child))
  const typeOnly = /^import\s+type\b/.test(node.text)
  return { source, names, ...(namespace === undefined ? {} : { namespace }), ...(typeOnly ? { typeOnly } : {}) }
}

function readReexport(node: Node, source: string): ImportAtNode {
  const clause = node.namedChildren.find((child) => child?.type === 'export_clause')
  const whole = node.namedChildren.find((child) => child?.type === 'namespace_export')
  if (clause !== undefined) return { source, names: specifiers(clause), reexport: true }
  if (whole !== undefined)
    return { source, names: [{ name: '*module', local: whole.namedChild(0)?.text ?? '' }], reexport: true }
  return { source, names: [{ name: '*', local: '*' }], reexport: true }
}

function specifiers(clause: Node): ImportedName[] {
  return clause.namedChildren.flatMap((specifier) => {
    const name = specifier.childForFieldName('name')?.text.replaceAll(quotes, '')
    const local = specifier.childForFieldName('alias')?.text
    return name === undefined ? [] : [{ name, local: local ?? name }]
  })
}

/** Calls of `require` and `import` with a name as text, with the names that they are put under. */
function readLoad(node: Node): readonly ImportAtNode[] {
  const source = node.childForFieldName('arguments')?.namedChild(0)?.text.replaceAll(quotes, '') ?? ''
  const dynamic = node.childForFieldName('function')?.type === 'import'
  const flags = dynamic ? { dynamic } : {}
  let at = node.parent
  let member: string | undefined
  if (at?.type === 'await_expression' || at?.type === 'parenthesized_expression') at = at.parent
  if (at?.type === 'member_expression') {
    member = at.childForFieldName('property')?.text
    at = at.parent
  }
  const pattern = at?.type === 'variable_declarator' ? at.childForFieldName('name') : null
  if (pattern?.type === 'identifier')
    return [
      member === undefined
        ? { source, names: [], namespace: pattern.text, ...flags }
        : { source, names: [{ name: member, local: pattern.text }], ...flags },
    ]
  const names = pattern?.type === 'object_pattern' && member === undefined ? patternNames(pattern) : []
  return [{ source, names, ...flags }]
}

function patternNames(pattern: Node): ImportedName[] {
  return pattern.namedChildren.flatMap((each) => {
    if (each.type === 'shorthand_property_identifier_pattern') return [{ name: each.text, local: each.text }]
    const local = each.childForFieldName('value')
    if (each.type !== 'pair_pattern' || local?.type !== 'identifier') return []
    return [{ name: each.childForFieldName('key')?.text ?? '', local: local.text }]
  })
}

export const ecmascript: Pick<
  Language,
  'family' | 'self' | 'base' | 'memberTypes' | 'readImport' | 'types' | 'ownerOf'
> = {
  family: 'ecmascript',
  self: ['this'],
  base: ['super'],
  memberTypes: ['method'],
  readImport: readEcmascriptImport,
  types: {
    transparent: ['Promise', 'Readonly', 'NonNullable', 'Partial', 'Required', 'PromiseLike', 'Awaited'],
    listed: [
      'Array',
      'ReadonlyArray',
      'Set',
      'ReadonlySet',
      'Iterable',
      'AsyncIterable',
      'IterableIterator',
      'Generator',
      'AsyncGenerator',
    ],
    keyed: ['Map', 'ReadonlyMap', 'Record', 'WeakMap'],
    held: (type) => (type.endsWith('[]') ? [type.slice(0, -2), listed] : undefined),
    separator: '.',
  },
  // `A.prototype.b = function`: a method of A. `exports` and `module.exports` are the file.
  ownerOf: (text) => {
    const steps = text.split('.').filter((step) => step !== 'prototype')
    return ['exports', 'module.exports'].includes(text) || !steps.every((step) => /^[\w$]+$/.test(step)) ? [] : steps
  },
}
