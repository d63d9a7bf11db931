import type { Language } from '../language.ts'
import { ecmascript, ecmascriptChains, ecmascriptQueries } from './ecmascript.ts'

export const javascript: Language = {
  ...ecmascript,
  name: 'javascript',
  extensions: ['.js', '.mjs', '.cjs', '.jsx'],
  grammar: '@vscode/tree-sitter-wasm/wasm/tree-sitter-javascript.wasm',
  chains: ecmascriptChains,
  queries: `${ecmascriptQueries}
(class_declaration name: (identifier) @name) @def.class
(class_heritage (_) @extends)
(field_definition property: (_) @name value: [(arrow_function) (function_expression)]) @def.method
(field_definition property: (_) @field value: (_) @value)
(variable_declarator name: (identifier) @bind value: (_)? @value)
(formal_parameters (identifier) @bind)
(assignment_pattern left: (identifier) @bind right: (_) @value)
(jsx_opening_element name: (identifier) @ref)
(jsx_self_closing_element name: (identifier) @ref)
`,
}
