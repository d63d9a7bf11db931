import type { Node } from 'web-tree-sitter'
import { keyed, listed, type Signature } from '../facts.ts'
import type { ImportAtNode, Language } from '../language.ts'

const lists = '(map_type) (slice_type) (array_type) (channel_type)'
const one = `[(type_identifier) (pointer_type) (qualified_type) (generic_type) ${lists}]`
const first = '(parameter_list . (parameter_declaration type: (_) @returns))'
/** A function's pattern without a result, with one, and with several. */
const withResults = (start: string, type: string): string => `
(${start}) @def.${type}
(${start} result: ${one} @returns) @def.${type}
(${start} result: ${first}) @def.${type}`

export const go: Language = {
  name: 'go',
  extensions: ['.go'],
  grammar: '@vscode/tree-sitter-wasm/wasm/tree-sitter-go.wasm',
  family: 'go',
  self: [],
  base: [],
  memberTypes: ['method'],
  shared: 'directory',
  exportsAll: true,
  types: { transparent: [], separator: '.', held },
  chains: {
    names: ['identifier', 'field_identifier', 'type_identifier', 'package_identifier'],
    members: { selector_expression: ['operand', 'field'], qualified_type: ['package', 'name'] },
    calls: { call_expression: 'function' },
    news: { composite_literal: 'type', type_assertion_expression: 'type' },
    items: { index_expression: 'operand' },
    receives: ['unary_expression', '<-'],
    passing: { append: 'whole' },
    wrappers: {
      parenthesized_expression: null,
      unary_expression: 'operand',
      slice_expression: 'operand',
      pointer_type: null,
      generic_type: 'type',
      expression_list: null,
      type_instantiation_expression: 'type',
    },
  },
  // `*S[T]`, as receivers are written.
  ownerOf: (text) => [text.replace(/^\*/, '').replace(/\[.*$/s, '')],
  readImport,
  signatureOf,
  queries: `
${withResults('function_declaration name: (identifier) @name', 'function')}
${withResults(
  'method_declaration receiver: (parameter_list (parameter_declaration type: (_) @owner)) name: (field_identifier) @name',
  'method',
)}
${withResults('method_elem name: (field_identifier) @name', 'method')}
(type_spec name: (type_identifier) @name type: (struct_type)) @def.struct
(type_spec name: (type_identifier) @name type: (interface_type)) @def.interface
(type_spec name: (type_identifier) @name) @def.type
(type_spec name: (type_identifier) @name type: [${lists}] @holds) @def.type
(type_alias name: (type_identifier) @name) @def.type
(source_file (var_declaration (var_spec name: (identifier) @name) @def.variable))
(source_file (var_declaration (var_spec_list (var_spec name: (identifier) @name) @def.variable)))
(source_file (const_declaration (const_spec name: (identifier) @name) @def.variable))

(field_declaration !name type: (_) @extends)
(interface_type (type_elem (_) @extends))
(field_declaration name: (field_identifier) @field type: (_) @type)

[(function_declaration) (method_declaration) (func_literal) (block) (for_statement) (if_statement)
 (communication_case) (expression_case) (type_case) (type_spec) (type_alias)] @scope
(type_parameter_declaration name: (identifier) @parameter type: (_) @type)
(method_declaration receiver: (parameter_list (parameter_declaration type: [
  (generic_type type_arguments: (type_arguments (type_elem (type_identifier) @parameter)))
  (pointer_type (generic_type type_arguments: (type_arguments (type_elem (type_identifier) @parameter))))])))

(parameter_declaration name: (identifier) @bind type: (_) @type)
(variadic_parameter_declaration name: (identifier) @bind type: (_) @type.keyed)
(short_var_declaration left: (expression_list . (identifier) @bind) right: (expression_list . (_) @value))
(short_var_declaration left: (expression_list . (_) . (identifier) @bind) right: (expression_list . (_) . (_) @value))
(short_var_declaration left: (expression_list (identifier) @bind))
(short_var_declaration left: (expression_list . (identifier) @bind) right: (expression_list . (composite_literal
  type: [${lists}] @type)))
(short_var_declaration left: (expression_list . (identifier) @bind) right: (expression_list . (call_expression
  function: (identifier) @_make arguments: (argument_list . (_) @type))) (#any-of? @_make "make" "new"))
(var_spec name: (identifier) @bind type: (_)? @type value: (expression_list . (_) @value)?)
(range_clause left: (expression_list (identifier) @bind))
(range_clause left: (expression_list . (identifier) @bind .) right: (_) @each)
(range_clause left: (expression_list . (_) . (identifier) @bind) right: (_) @item)

(call_expression function: (_) @callee) @call
(composite_literal type: [(type_identifier) (qualified_type) (generic_type)] @callee) @new
[(type_identifier) (qualified_type)] @uses
(argument_list (identifier) @ref)
(keyed_element value: (literal_element (identifier) @ref))

(import_spec) @import
(package_clause (package_identifier) @package)
`,
}

function signatureOf(node: Node): Signature | undefined {
  if (node.type !== 'method_declaration' && node.type !== 'method_elem') return undefined
  const open = typeParametersAround(node)
  const types = (field: string): string[] => typesOf(node.childForFieldName(field), open)
  return { parameters: types('parameters'), results: types('result') }
}

/** Names that stand for any type: those in the receiver's brackets, those of the interface around. */
function typeParametersAround(node: Node): ReadonlySet<string> {
  const receiver = /\[(.*)\]/s.exec(node.childForFieldName('receiver')?.text ?? '')?.[1]
  if (receiver !== undefined) return new Set(receiver.split(',').map((name) => name.trim()))
  let spec: Node | null = node.parent
  while (spec !== null && spec.type !== 'type_spec') spec = spec.parent
  const declared = spec?.childForFieldName('type_parameters')?.namedChildren ?? []
  return new Set(declared.flatMap((each) => each.childrenForFieldName('name').map(({ text }) => text)))
}

function typesOf(list: Node | null, open: ReadonlySet<string>): string[] {
  if (list === null) return []
  if (list.type !== 'parameter_list') return [shapeOf(list.text, open)]
  return list.namedChildren.flatMap((each) => {
    const type = each.childForFieldName('type')
    if (type === null) return []
    const shape = `${each.type === 'variadic_parameter_declaration' ? '...' : ''}${shapeOf(type.text, open)}`
    return Array.from({ length: Math.max(each.childrenForFieldName('name').length, 1) }, () => shape)
  })
}

/** Functions have names of parameters, which say nothing: one is like another here. */
function shapeOf(type: string, open: ReadonlySet<string>): string {
  if (/\bfunc\s*\(/.test(type)) return 'func'
  const names = type.match(/\w+/g) ?? []
  if (names.some((name) => open.has(name))) return '?'
  return type
    .replaceAll(/\binterface\s*\{\s*\}/g, 'any')
    .replaceAll(/\b\w+\.(?=\w)/g, '')
    .replaceAll(/\s+/g, ' ')
}

/** Lists give their places first and elements second, as maps do with keys; of a channel there is but one. */
function held(type: string): readonly [of: string, mark: string] | undefined {
  const channel = /^(?:<-\s*)?chan\b(?:\s*<-)?\s*/.exec(type)
  if (channel !== null) return [type.slice(channel[0].length), listed]
  const bracket = /^(?:map)?\[/.exec(type)
  if (bracket === null) return undefined
  let depth = 1
  let at = bracket[0].length
  for (; depth > 0 && at < type.length; at += 1) depth += type[at] === '[' ? 1 : type[at] === ']' ? -1 : 0
  return [type.slice(at), keyed]
}

function readImport(node: Node): readonly ImportAtNode[] {
  const source = (node.childForFieldName('path')?.text ?? '').replaceAll(/["`]/g, '')
  const alias = node.childForFieldName('name')?.text
  if (alias === '.') return [{ source, names: [{ name: '*', local: '*' }] }]
  if (alias === '_') return [{ source, names: [] }]
  return [{ source, names: [], namespace: alias ?? packageOf(source) }]
}

/** What a package calls itself is in its files; by custom it is the last part of the path, a version aside. */
function packageOf(source: string): string {
  const parts = source.split('/').filter((part) => !/^v\d+$/.test(part))
  return (parts.at(-1) ?? source).replace(/^go-|\.v\d+$|-go$/g, '')
}
