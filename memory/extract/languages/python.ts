import type { Node } from 'web-tree-sitter'
import type { ImportedName } from '../facts.ts'
import type { ImportAtNode, Language } from '../language.ts'

const words = (text: string): readonly string[] => text.split(/\s+/)

export const python: Language = {
  name: 'python',
  extensions: ['.py', '.pyi'],
  grammar: '@vscode/tree-sitter-wasm/wasm/tree-sitter-python.wasm',
  family: 'python',
  self: ['self', 'cls'],
  base: ['super'],
  memberTypes: ['method'],
  callMakesInstance: true,
  exportsAll: true,
  types: {
    transparent: ['Optional', 'Annotated', 'Final', 'ClassVar', 'Awaitable', 'Required', 'NotRequired', 'ReadOnly'],
    listed:
      words(`list List tuple Tuple set Set frozenset FrozenSet deque Deque Sequence MutableSequence Collection Container
      AbstractSet MutableSet Iterable Iterator Reversible Generator AsyncIterable AsyncIterator AsyncGenerator KeysView
      ValuesView`),
    keyed: words(`dict Dict Mapping MutableMapping OrderedDict defaultdict DefaultDict WeakValueDictionary`),
    classItself: ['type', 'Type'],
    // A quote begins a text and nothing else: who may read it in two ways tries both at each.
    texts: /\bLiteral\s*\[(?:"[^"]*"|'[^']*'|[^\]"'])*\]|(?<=\bAnnotated\s*\[.*),\s*(?:"[^"]*"|'[^']*')/gs,
    separator: '.',
  },
  chains: {
    names: ['identifier'],
    members: { attribute: ['object', 'attribute'] },
    calls: { call: 'function' },
    news: {},
    // `a or B()`: what is made is known better than what may be given.
    wrappers: {
      parenthesized_expression: null,
      await: null,
      as_pattern: null,
      boolean_operator: 'right',
      conditional_expression: null,
    },
    items: { subscript: 'value' },
    passing: {
      list: 'whole',
      tuple: 'whole',
      set: 'whole',
      frozenset: 'whole',
      sorted: 'whole',
      reversed: 'whole',
      iter: 'whole',
      next: 'each',
      min: 'each',
      max: 'each',
    },
  },
  readImport,
  queries: `
(module (function_definition name: (identifier) @name return_type: (_)? @returns) @def.function)
(block (function_definition name: (identifier) @name return_type: (_)? @returns) @def.function)
(decorated_definition (function_definition name: (identifier) @name return_type: (_)? @returns) @def.function)
(class_definition name: (identifier) @name) @def.class
(decorated_definition (decorator [(identifier) (attribute)] @_overload)
  definition: (function_definition name: (identifier) @name return_type: (_)? @returns) @def.function @declared
  (#match? @_overload "(^|[.])overload$"))
(if_statement condition: [(identifier) (attribute)] @_checking
  consequence: (block (function_definition name: (identifier) @name return_type: (_)? @returns) @def.function) @declared
  (#match? @_checking "(^|[.])TYPE_CHECKING$"))
(decorated_definition (decorator [(identifier) (attribute)] @_property)
  definition: (function_definition name: (identifier) @name return_type: (_)? @returns) @def.function @property
  (#match? @_property "(^|[._])property$"))
(return_statement (_) @returned)
(module (expression_statement (assignment left: (identifier) @name) @def.variable))

(class_definition superclasses: (argument_list [(identifier) (attribute) (subscript)] @extends))

[(function_definition) (lambda) (list_comprehension) (dictionary_comprehension) (set_comprehension)
 (generator_expression)] @scope

(class_definition) @scope @closed
(_ name: (identifier) type_parameters: (type_parameter (type [(identifier) @parameter (splat_type (identifier) @parameter)
  (constrained_type . (type (identifier) @parameter) (type) @type)])))

(parameters (identifier) @bind)
(lambda_parameters (identifier) @bind)
(typed_parameter (identifier) @bind type: (_) @type)
(typed_default_parameter name: (identifier) @bind type: (_) @type)
(default_parameter name: (identifier) @bind value: (_) @value)
(typed_parameter (list_splat_pattern (identifier) @bind) type: (_) @type.listed)
(typed_parameter (dictionary_splat_pattern (identifier) @bind) type: (_) @type.keyed)
(list_splat_pattern (identifier) @bind)
(dictionary_splat_pattern (identifier) @bind)
(assignment left: (identifier) @bind type: (_)? @type right: (_)? @value)
(assignment left: (identifier) @bind right: (call function: [(identifier) (attribute)] @_cast
  arguments: (argument_list . (_) @type)) (#match? @_cast "(^|[.])cast$"))
(named_expression name: (identifier) @bind value: (_) @value)
(pattern_list (identifier) @bind)
[(for_statement left: (identifier) @bind right: (_) @each)
 (for_in_clause left: (identifier) @bind right: (_) @each)]
([(for_statement left: (pattern_list . (_) . (identifier) @bind) right: (call function: (attribute
    object: (_) @item attribute: (identifier) @_items)))
  (for_in_clause left: (pattern_list . (_) . (identifier) @bind) right: (call function: (attribute
    object: (_) @item attribute: (identifier) @_items)))]
 (#eq? @_items "items"))
([(for_statement left: (pattern_list . (_) . (identifier) @bind) right: (call function: (identifier) @_enumerate
    arguments: (argument_list . (_) @each)))
  (for_in_clause left: (pattern_list . (_) . (identifier) @bind) right: (call function: (identifier) @_enumerate
    arguments: (argument_list . (_) @each)))]
 (#eq? @_enumerate "enumerate"))
(as_pattern (_) @value alias: (as_pattern_target (identifier) @bind))

(class_definition body: (block (expression_statement (assignment left: (identifier) @field type: (_)? @type right: (_)? @value))))
(assignment left: (attribute object: (identifier) @owner attribute: (identifier) @field)
  type: (_)? @type right: (_)? @value (#eq? @owner "self"))

(call function: (_) @callee (#not-eq? @callee "super")) @call
(decorator [(identifier) (attribute)] @callee (#not-match? @callee "[.](getter|setter|deleter)$")) @call
(call arguments: (argument_list (identifier) @ref))
(keyword_argument value: (identifier) @ref)
(class_definition body: (block (expression_statement (assignment right: (identifier) @ref))))
[(list (identifier) @ref) (tuple (identifier) @ref)]
(pair value: (identifier) @ref)
[(type) @uses (class_definition superclasses: (argument_list (subscript) @uses))]
(except_clause [(identifier) (attribute)] @ref)
(except_clause (as_pattern . [(identifier) (attribute)] @ref))
(except_clause (tuple [(identifier) (attribute)] @ref))
(except_clause (as_pattern . (tuple [(identifier) (attribute)] @ref)))

[(import_statement) (import_from_statement)] @import
`,
}

function readImport(node: Node): readonly ImportAtNode[] {
  if (node.type === 'import_statement')
    return node.namedChildren.flatMap((child) => {
      const alias = child.childForFieldName('alias')?.text
      const source = (alias === undefined ? child : child.childForFieldName('name'))?.text ?? ''
      if (alias !== undefined) return [{ source, names: [], namespace: alias }]
      // `import a.b` binds `a`, whose member `b` then is.
      const [first = ''] = source.split('.')
      const whole: ImportAtNode = { source, names: [], ...(first === source ? { namespace: source } : {}) }
      return first === source ? [whole] : [whole, { source: first, names: [], namespace: first }]
    })
  const module = node.childForFieldName('module_name')
  const source = module?.text ?? ''
  const names: ImportedName[] = []
  for (const child of node.namedChildren) {
    if (child.id === module?.id) continue
    if (child.type === 'wildcard_import') names.push({ name: '*', local: '*' })
    else if (child.type === 'dotted_name') names.push({ name: child.text, local: child.text })
    else if (child.type === 'aliased_import')
      names.push({
        name: child.childForFieldName('name')?.text ?? '',
        local: child.childForFieldName('alias')?.text ?? '',
      })
  }
  return [{ source, names }]
}
