import type { Node } from 'web-tree-sitter'
import type { ImportAtNode, Language } from '../language.ts'

export const java: Language = {
  name: 'java',
  extensions: ['.java'],
  grammar: '@vscode/tree-sitter-wasm/wasm/tree-sitter-java.wasm',
  family: 'java',
  self: ['this'],
  base: ['super'],
  implicitSelf: true,
  memberTypes: [],
  shared: 'package',
  exportsAll: true,
  types: { transparent: ['Optional', 'Class'], separator: '.' },
  chains: {
    names: ['identifier', 'this', 'super', 'type_identifier'],
    members: {
      field_access: ['object', 'field'],
      scoped_identifier: ['scope', 'name'],
    },
    calls: {},
    methodCalls: { method_invocation: ['object', 'name'] },
    news: { object_creation_expression: 'type' },
    wrappers: { parenthesized_expression: null, generic_type: null, cast_expression: 'value' },
  },
  readImport,
  queries: `
(class_declaration name: (identifier) @name) @def.class
(interface_declaration name: (identifier) @name) @def.interface
(annotation_type_declaration name: (identifier) @name) @def.interface
(enum_declaration name: (identifier) @name) @def.enum
(record_declaration name: (identifier) @name) @def.record
(method_declaration type: (_) @returns name: (identifier) @name) @def.method
(constructor_declaration name: (identifier) @name) @def.constructor

(superclass (_) @extends)
(super_interfaces (type_list (_) @implements))
(extends_interfaces (type_list (_) @extends))

[(method_declaration) (constructor_declaration) (block) (lambda_expression) (for_statement)
 (enhanced_for_statement) (catch_clause) (try_with_resources_statement) (class_body)] @scope

(formal_parameter type: (_) @type name: (identifier) @bind)
(local_variable_declaration type: (_) @type declarator: (variable_declarator name: (identifier) @bind)
  (#not-eq? @type "var"))
(local_variable_declaration type: (_) @_var declarator: (variable_declarator name: (identifier) @bind value: (_) @value)
  (#eq? @_var "var"))
(enhanced_for_statement type: (_) @type name: (identifier) @bind)
(catch_formal_parameter name: (identifier) @bind)
(resource type: (_) @type name: (identifier) @bind)
(lambda_expression parameters: (identifier) @bind)
(inferred_parameters (identifier) @bind)
(field_declaration type: (_) @type declarator: (variable_declarator name: (identifier) @field))
(field_declaration type: (_) @type declarator: (variable_declarator name: (identifier) @bind))

(method_invocation object: (_) @receiver name: (identifier) @callee) @call
(method_invocation !object name: (identifier) @callee) @call
(object_creation_expression type: (_) @callee) @new
[(type_identifier) (scoped_type_identifier)] @uses
(explicit_constructor_invocation constructor: (_) @callee) @call

(import_declaration) @import
(package_declaration (_) @package)
`,
}

function readImport(node: Node): readonly ImportAtNode[] {
  const path = node.namedChildren.find((child) => child?.type === 'scoped_identifier' || child?.type === 'identifier')
  const all = node.namedChildren.some((child) => child?.type === 'asterisk')
  const text = path?.text.replaceAll(/\s/g, '') ?? ''
  if (all) return [{ source: text, names: [{ name: '*', local: '*' }] }]
  const dot = text.lastIndexOf('.')
  const name = text.slice(dot + 1)
  return [{ source: text.slice(0, Math.max(dot, 0)), names: [{ name, local: name }] }]
}
