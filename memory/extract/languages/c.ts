import type { Node } from 'web-tree-sitter'
import type { ChainRules, ImportAtNode, Language } from '../language.ts'

export const cChains: ChainRules = {
  names: ['identifier', 'field_identifier', 'type_identifier', 'namespace_identifier', 'this', 'destructor_name'],
  members: { field_expression: ['argument', 'field'], qualified_identifier: ['scope', 'name'] },
  calls: { call_expression: 'function' },
  news: { new_expression: 'type', compound_literal_expression: 'type' },
  wrappers: {
    parenthesized_expression: null,
    pointer_expression: 'argument',
    template_function: 'name',
    template_type: 'name',
    struct_specifier: 'name',
    cast_expression: 'value',
  },
}

/** Declarators nest: a pointer to a function that returns a pointer. Three levels cover what people write. */
export function declarators(inner: string): string {
  const pointer = (within: string): string => `(pointer_declarator declarator: ${within})`
  return `[${inner} ${pointer(inner)} ${pointer(pointer(inner))}]`
}

export const cQueries = `
(function_definition type: (_) @returns
  declarator: ${declarators('(function_declarator declarator: (identifier) @name)')}) @def.function
(translation_unit (declaration type: (_) @returns
  declarator: ${declarators('(function_declarator declarator: (identifier) @name)')}) @def.function @declared)
(preproc_ifdef (declaration type: (_) @returns
  declarator: ${declarators('(function_declarator declarator: (identifier) @name)')}) @def.function @declared)
(struct_specifier name: (type_identifier) @name body: (_)) @def.struct
(union_specifier name: (type_identifier) @name body: (_)) @def.struct
(enum_specifier name: (type_identifier) @name body: (_)) @def.enum
(type_definition type: (struct_specifier !name) declarator: (type_identifier) @name) @def.struct
(preproc_function_def name: (identifier) @name) @def.macro

[(function_definition) (compound_statement) (for_statement)] @scope

(parameter_declaration type: (_) @type declarator: ${declarators('(identifier) @bind')})
(declaration type: (_) @type declarator: ${declarators('(identifier) @bind')})
(declaration type: (_) @type
  declarator: (init_declarator declarator: ${declarators('(identifier) @bind')} value: (_) @value))
(field_declaration type: (_) @type declarator: ${declarators('(field_identifier) @field')})

(call_expression function: (_) @callee) @call
(type_identifier) @uses
(argument_list (identifier) @ref)
(initializer_pair value: (identifier) @ref)
(initializer_list (identifier) @ref)

(preproc_include) @import
`

export function readInclude(node: Node): readonly ImportAtNode[] {
  const path = node.childForFieldName('path')
  if (path === null) return []
  const system = path.type === 'system_lib_string'
  const source = path.text.replaceAll(/^["<]|[">]$/g, '')
  return [{ source, names: [{ name: '*', local: '*' }], reexport: true, ...(system ? { system } : {}) }]
}

export const c: Language = {
  name: 'c',
  extensions: ['.c', '.h'],
  grammar: 'tree-sitter-c/tree-sitter-c.wasm',
  family: 'c',
  self: [],
  base: [],
  memberTypes: [],
  exportsAll: true,
  types: { transparent: [], separator: '::' },
  chains: cChains,
  readImport: readInclude,
  queries: cQueries,
}
