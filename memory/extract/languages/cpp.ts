import type { Language } from '../language.ts'
import { cChains, cQueries, declarators, readInclude } from './c.ts'

const qualified = (name: string): string =>
  declarators(`(function_declarator declarator: (qualified_identifier scope: (_) @owner name: ${name}))`)

export const cpp: Language = {
  name: 'cpp',
  extensions: ['.cpp', '.cc', '.cxx', '.hpp', '.hh', '.hxx', '.ipp', '.inl'],
  grammar: '@vscode/tree-sitter-wasm/wasm/tree-sitter-cpp.wasm',
  family: 'c',
  self: ['this'],
  base: [],
  implicitSelf: true,
  memberTypes: [],
  exportsAll: true,
  types: {
    transparent: ['std::unique_ptr', 'std::shared_ptr', 'unique_ptr', 'shared_ptr', 'std::optional'],
    separator: '::',
  },
  chains: cChains,
  readImport: readInclude,
  ownerOf: (text) => {
    const bare = text.replaceAll(/<[^<>]*>/g, '')
    return /^[\w:]+$/.test(bare) ? bare.split('::') : []
  },
  queries: `${cQueries}
(function_definition type: (_)? @returns declarator: ${qualified('[(identifier) (destructor_name)] @name')}) @def.method
(function_definition type: (_)? @returns
  declarator: ${qualified('(qualified_identifier scope: (_) @owner name: [(identifier) (destructor_name)] @name)')}) @def.method
(function_definition type: (_)? @returns
  declarator: ${declarators('(function_declarator declarator: (field_identifier) @name)')}) @def.method
(field_declaration type: (_) @returns
  declarator: ${declarators('(function_declarator declarator: (field_identifier) @name)')}) @def.method @declared
(class_specifier name: (type_identifier) @name body: (_)) @def.class
(alias_declaration name: (type_identifier) @name) @def.type
(namespace_definition name: (namespace_identifier) @name) @def.namespace
(namespace_definition (declaration_list (declaration type: (_) @returns
  declarator: ${declarators('(function_declarator declarator: (identifier) @name)')}) @def.function @declared))

(base_class_clause [(type_identifier) (qualified_identifier) (template_type)] @extends)
[(lambda_expression) (for_range_loop)] @scope
(qualified_identifier) @uses
(parameter_declaration type: (_) @type declarator: (reference_declarator (identifier) @bind))
(declaration type: (_) @type declarator: (init_declarator declarator: (reference_declarator (identifier) @bind)))
(new_expression type: (_) @callee) @new
`,
}
