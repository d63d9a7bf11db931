import type { Language } from '../language.ts'
import { ecmascript, ecmascriptChains, ecmascriptQueries } from './ecmascript.ts'

const queries = `${ecmascriptQueries}
(class_declaration name: (type_identifier) @name) @def.class
(abstract_class_declaration name: (type_identifier) @name) @def.class
(interface_declaration name: (type_identifier) @name) @def.interface
(type_alias_declaration name: (type_identifier) @name) @def.type
(enum_declaration name: (identifier) @name) @def.enum
(internal_module name: (identifier) @name) @def.namespace
(module name: (identifier) @name) @def.namespace
(function_declaration name: (identifier) @name return_type: (_) @returns) @def.function
(function_signature name: (identifier) @name return_type: (_)? @returns) @def.function @declared
(method_definition name: (_) @name return_type: (_) @returns) @def.method
(method_definition "get" name: (_) @name return_type: (_) @returns) @def.method @property
(method_signature name: (_) @name return_type: (_)? @returns) @def.method
(method_signature ["get" "set"] name: (_) @name return_type: (_)? @returns) @def.method @property
(class_body (method_signature name: (_) @name return_type: (_)? @returns) @def.method @declared)
(abstract_method_signature name: (_) @name return_type: (_)? @returns) @def.method
(public_field_definition name: (_) @name value: [(arrow_function) (function_expression)]) @def.method
(property_signature name: (_) @name type: (type_annotation (function_type return_type: (_)? @returns))) @def.method

(extends_clause value: (_) @extends)
(extends_type_clause type: (_) @extends)
(implements_clause (_) @implements)

(public_field_definition name: (_) @field type: (_)? @type value: (_)? @value)
(property_signature name: (_) @field type: (_) @type)
(required_parameter (accessibility_modifier) pattern: (identifier) @field type: (_) @type)
(required_parameter "readonly" pattern: (identifier) @field type: (_) @type)

(variable_declarator name: (identifier) @bind type: (_)? @type value: (_)? @value)
(required_parameter pattern: (identifier) @bind type: (_)? @type value: (_)? @value)
(optional_parameter pattern: (identifier) @bind type: (_)? @type)
(export_statement "=" (_) @value) @export.all
[(type_identifier) (nested_type_identifier)] @uses
(type_query [(identifier) (member_expression)] @uses)

[(class_declaration) (abstract_class_declaration) (class) (interface_declaration) (type_alias_declaration)
 (function_signature) (method_signature) (abstract_method_signature) (call_signature) (construct_signature)
 (function_type) (constructor_type)] @scope
(type_parameter name: (type_identifier) @parameter constraint: (constraint (_) @type)?)
(mapped_type_clause name: (type_identifier) @parameter)
(infer_type . (type_identifier) @parameter)
`

const common = {
  ...ecmascript,
  chains: {
    ...ecmascriptChains,
    wrappers: {
      ...ecmascriptChains.wrappers,
      as_expression: null,
      satisfies_expression: null,
      instantiation_expression: null,
    },
  },
}

export const typescript: Language = {
  ...common,
  name: 'typescript',
  extensions: ['.ts', '.mts', '.cts'],
  grammar: '@vscode/tree-sitter-wasm/wasm/tree-sitter-typescript.wasm',
  queries,
}

export const tsx: Language = {
  ...common,
  name: 'tsx',
  extensions: ['.tsx'],
  grammar: '@vscode/tree-sitter-wasm/wasm/tree-sitter-tsx.wasm',
  queries: `${queries}
(jsx_opening_element name: (identifier) @ref)
(jsx_self_closing_element name: (identifier) @ref)
`,
}
