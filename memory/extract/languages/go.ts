import type { Node } from 'web-tree-sitter'
import type { ImportAtNode, Language } from '../language.ts'

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
  types: { transparent: [], separator: '.' },
  chains: {
    names: ['identifier', 'field_identifier', 'type_identifier', 'package_identifier'],
    members: { selector_expression: ['operand', 'field'], qualified_type: ['package', 'name'] },
    calls: { call_expression: 'function' },
    news: { composite_literal: 'type' },
    wrappers: {
      parenthesized_expression: null,
      unary_expression: 'operand',
      generic_type: 'type',
      expression_list: null,
      type_instantiation_expression: 'type',
    },
  },
  // `*S[T]`, as receivers are written.
  ownerOf: (text) => [text.replace(/^\*/, '').replace(/\[.*$/s, '')],
  readImport,
  queries: `
(function_declaration name: (identifier) @name) @def.function
(function_declaration name: (identifier) @name result: [(type_identifier) (pointer_type) (qualified_type)] @returns) @def.function
(function_declaration name: (identifier) @name
  result: (parameter_list . (parameter_declaration type: (_) @returns))) @def.function
(method_declaration receiver: (parameter_list (parameter_declaration type: (_) @owner)) name: (field_identifier) @name
  ) @def.method
(type_spec name: (type_identifier) @name type: (struct_type)) @def.struct
(type_spec name: (type_identifier) @name type: (interface_type)) @def.interface
(type_spec name: (type_identifier) @name) @def.type
(type_alias name: (type_identifier) @name) @def.type
(method_elem name: (field_identifier) @name) @def.method
(source_file (var_declaration (var_spec name: (identifier) @name) @def.variable))
(source_file (var_declaration (var_spec_list (var_spec name: (identifier) @name) @def.variable)))
(source_file (const_declaration (const_spec name: (identifier) @name) @def.variable))

(field_declaration !name type: (_) @extends)
(interface_type (type_elem (_) @extends))
(field_declaration name: (field_identifier) @field type: (_) @type)

[(function_declaration) (method_declaration) (func_literal) (block) (for_statement) (if_statement)
 (communication_case) (expression_case) (type_case)] @scope

(parameter_declaration name: (identifier) @bind type: (_) @type)
(variadic_parameter_declaration name: (identifier) @bind)
(short_var_declaration left: (expression_list . (identifier) @bind) right: (expression_list . (_) @value))
(short_var_declaration left: (expression_list (identifier) @bind))
(var_spec name: (identifier) @bind type: (_)? @type value: (expression_list . (_) @value)?)
(range_clause left: (expression_list (identifier) @bind))

(call_expression function: (_) @callee) @call
(composite_literal type: [(type_identifier) (qualified_type) (generic_type)] @callee) @new
(argument_list (identifier) @ref)
(keyed_element value: (literal_element (identifier) @ref))

(import_spec) @import
(package_clause (package_identifier) @package)
`,
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
