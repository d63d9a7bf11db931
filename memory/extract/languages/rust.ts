import type { Node } from 'web-tree-sitter'
import type { ImportAtNode, Language } from '../language.ts'

export const rust: Language = {
  name: 'rust',
  extensions: ['.rs'],
  grammar: '@vscode/tree-sitter-wasm/wasm/tree-sitter-rust.wasm',
  family: 'rust',
  self: ['self', 'Self'],
  base: [],
  memberTypes: ['method'],
  exportsAll: true,
  types: {
    transparent: ['Box', 'Arc', 'Rc', 'Option', 'Result', 'io::Result', 'Cow', 'RefCell', 'Mutex'],
    separator: '::',
  },
  chains: {
    names: ['identifier', 'self', 'super', 'crate', 'field_identifier', 'type_identifier'],
    members: {
      field_expression: ['value', 'field'],
      scoped_identifier: ['path', 'name'],
      scoped_type_identifier: ['path', 'name'],
    },
    calls: { call_expression: 'function' },
    news: { struct_expression: 'name' },
    wrappers: {
      reference_expression: 'value',
      try_expression: null,
      await_expression: null,
      parenthesized_expression: null,
      generic_function: 'function',
      generic_type: 'type',
      generic_type_with_turbofish: 'type',
    },
  },
  ownerOf: (text) => {
    const bare = text.replace(/^(?:&|mut\s|dyn\s)+/, '').replace(/<.*$/s, '')
    return /^[\w:]+$/.test(bare) ? bare.split('::') : []
  },
  readImport,
  queries: `
(function_item name: (identifier) @name return_type: (_)? @returns) @def.function
(function_signature_item name: (identifier) @name return_type: (_)? @returns) @def.function
(impl_item type: (_) @owner
  body: (declaration_list (function_item name: (identifier) @name return_type: (_)? @returns) @def.method))
(struct_item name: (type_identifier) @name) @def.struct
(union_item name: (type_identifier) @name) @def.struct
(enum_item name: (type_identifier) @name) @def.enum
(trait_item name: (type_identifier) @name) @def.trait
(type_item name: (type_identifier) @name) @def.type
(mod_item name: (identifier) @name body: (_)) @def.namespace
(macro_definition name: (identifier) @name) @def.macro
(const_item name: (identifier) @name) @def.variable
(static_item name: (identifier) @name) @def.variable
(impl_item trait: (_) @name type: (_) @owner) @def.impl

(trait_item bounds: (trait_bounds (_) @extends))
(struct_item (field_declaration_list (field_declaration name: (field_identifier) @field type: (_) @type)))

[(function_item) (block) (closure_expression) (match_arm) (for_expression) (mod_item)] @scope

(parameter pattern: (identifier) @bind type: (_) @type)
(let_declaration pattern: (identifier) @bind type: (_)? @type value: (_)? @value)
(let_declaration pattern: (_ (identifier) @bind))
(closure_parameters (identifier) @bind)
(closure_parameters (parameter pattern: (identifier) @bind type: (_) @type))
(for_expression pattern: (identifier) @bind)
(match_pattern (_ (identifier) @bind))
(let_condition pattern: (_ (identifier) @bind))

(call_expression function: (_) @callee) @call
(struct_expression name: (_) @callee) @new
(macro_invocation macro: (_) @callee) @call
[(type_identifier) (scoped_type_identifier)] @uses
(arguments (identifier) @ref)
(arguments (scoped_identifier) @ref)

(use_declaration) @import
(mod_item !body) @import
`,
}

function readImport(node: Node): readonly ImportAtNode[] {
  if (node.type === 'mod_item') {
    const name = node.childForFieldName('name')?.text ?? ''
    return [{ source: `self::${name}`, names: [], namespace: name }]
  }
  const argument = node.childForFieldName('argument')
  const reexport = node.namedChildren.some((child) => child?.type === 'visibility_modifier')
  return argument === null ? [] : flatten(argument, []).map((each) => (reexport ? { ...each, reexport } : each))
}

/** `a::{b, c::{self, d as e}, f::*}` as one import a name. */
function flatten(node: Node, before: readonly string[]): ImportAtNode[] {
  const path = (of: Node | null): string[] => [...before, ...(of === null ? [] : of.text.split('::'))]
  const named = (steps: readonly string[], local?: string): ImportAtNode[] => {
    const whole = steps.at(-1) === 'self' && steps.length > 1 ? steps.slice(0, -1) : steps
    const name = whole.at(-1) ?? ''
    return [{ source: whole.slice(0, -1).join('::'), names: [{ name, local: local ?? name }] }]
  }
  switch (node.type) {
    case 'scoped_use_list': {
      const inner = path(node.childForFieldName('path'))
      return node.childForFieldName('list')?.namedChildren.flatMap((child) => flatten(child, inner)) ?? []
    }
    case 'use_list':
      return node.namedChildren.flatMap((child) => flatten(child, before))
    case 'use_as_clause':
      return named(path(node.childForFieldName('path')), node.childForFieldName('alias')?.text)
    case 'use_wildcard':
      return [{ source: path(node.namedChild(0)).join('::'), names: [{ name: '*', local: '*' }] }]
    default:
      return named(path(node))
  }
}
