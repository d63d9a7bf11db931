import { readdirSync } from 'node:fs'
import { join, posix, relative, sep } from 'node:path'
import { parseSync } from 'rolldown/utils'
import { declaredIn, exportedIn, importedBy } from './names.ts'
import { functionNameOf, walk, type Node } from './syntax.ts'

export interface Import {
  readonly specifier: string
  readonly line: number
  /** As the other file exports them; `*` where all may be meant. */
  readonly names: readonly string[]
  /** Only types are meant, so nothing is loaded. */
  readonly isType: boolean
}

export interface Name {
  readonly name: string
  readonly line: number
}

/** A function with a body. One without a name of its own has the name of what it is given to. */
export interface Body {
  readonly name: string
  readonly line: number
  readonly lines: number
}

export interface SourceFile {
  /** From the root, with `/`. */
  readonly path: string
  readonly lines: number
  readonly text: string
  readonly imports: readonly Import[]
  readonly exports: readonly Name[]
  /** Every name that the file gives: of variables, parameters, functions, types, members and properties. */
  readonly declared: readonly Name[]
  readonly functions: readonly Body[]
  /** Their texts, with the line of each one's beginning. */
  readonly comments: readonly { readonly text: string; readonly line: number }[]
  /** Syntax that this house does without, in the words of the rule. */
  readonly unwanted: readonly { readonly what: string; readonly line: number }[]
  /** Lines where `git` stands as a program: first argument of a call, or first word of a command. */
  readonly git: readonly number[]
  /** How often it overrules the compiler about a type, and about what may be absent (`!`). */
  readonly casts: number
  readonly nonNulls: number
}

const skipped = new Set(['node_modules', 'dist', '.git', '.statewright', 'coverage'])

/** Past `print` of the command line, which shows what a terminal would obey. */
export const RAW_TERMINAL = 'standard output or error, or the console'

/** Runs outside of every error handling: the clock of a server counts what its timers throw (HTTP-RULE-8). */
export const RAW_TIMER = 'a timer of its own'

/** The same of what node calls for a raw connection (HTTP-RULE-7). */
export const RAW_SERVER_EVENT = 'a listener of a raw event of a server'

/** oxlint forbids `Date.now`; it has no rule for this way of asking the same. */
export const WALL_CLOCK = 'a `new Date()` that reads the wall clock'

const unwantedSyntax: Readonly<Record<string, string>> = {
  ExportDefaultDeclaration: 'a default export',
  TSEnumDeclaration: 'an enum',
  TSModuleDeclaration: 'a namespace',
  TSParameterProperty: 'a parameter property',
  Decorator: 'a decorator',
  TSExportAssignment: 'an export assignment',
}

/** Every file of the tree, from the root, sorted; what is installed or built is no part of it. */
export function listFiles(root: string): string[] {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join(posix.sep))
    .filter((path) => !path.split('/').some((part) => skipped.has(part)))
    .toSorted()
}

/**
 * TypeScript under the rules of the layout. `peers` is what the bench compares us with: bench/package.json lists its
 * packages, and `npm run bench` checks its types. The inspector's page is built for browsers and has rules of its own.
 */
export function isRuled(path: string): boolean {
  return (
    /\.tsx?$/.test(path) &&
    !path.endsWith('.d.ts') &&
    !path.split('/').includes('peers') &&
    !path.startsWith('edges/inspector/page/')
  )
}

export function parseSource(path: string, text: string): SourceFile {
  const imports: Import[] = []
  const exports: Name[] = []
  const declared: Name[] = []
  const functions: Body[] = []
  const unwanted: SourceFile['unwanted'][number][] = []
  const git: number[] = []
  let [casts, nonNulls] = [0, 0]
  const lineOf = linesOf(text)
  const { program, comments: parsed } = parseSync(path, text)
  const comments = parsed.map(({ value, start }) => ({ text: value, line: lineOf(start) }))
  walk(program, (node, above) => {
    const specifier = specifierOf(node)
    if (specifier !== undefined)
      imports.push({ specifier, line: lineOf(node.start), names: importedBy(node, above), isType: isOfTypes(node) })
    for (const name of declaredIn(node, above.at(-1))) declared.push({ name, line: lineOf(node.start) })
    for (const name of exportedIn(node)) exports.push({ name, line: lineOf(node.start) })
    const name = functionNameOf(node, above)
    if (name !== undefined) {
      const line = lineOf(node.start)
      functions.push({ name, line, lines: lineOf(node.end) - line + 1 })
    }
    const what = unwantedIn(node)
    if (what !== undefined) unwanted.push({ what, line: lineOf(node.start) })
    if (namesGit(node)) git.push(lineOf(node.start))
    if (isCast(node)) casts += 1
    if (node.type === 'TSNonNullExpression') nonNulls += 1
  })
  return {
    path,
    lines: text.split('\n').length - 1,
    text,
    imports,
    exports,
    declared,
    functions,
    comments,
    unwanted,
    git,
    casts,
    nonNulls,
  }
}

/** The line of an offset, by halving: a file asks for hundreds. */
function linesOf(text: string): (offset: number) => number {
  const starts = [0]
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
  return (offset) => {
    let [low, high] = [0, starts.length]
    while (high - low > 1) {
      const middle = (low + high) >> 1
      if (starts[middle]! <= offset) low = middle
      else high = middle
    }
    return low + 1
  }
}

/** The path that an import of ours names; absent for a package. */
export function targetOf(path: string, specifier: string): string | undefined {
  return specifier.startsWith('.') ? posix.normalize(posix.join(posix.dirname(path), specifier)) : undefined
}

function namesGit({ type, arguments: args, elements }: Node): boolean {
  const first = type === 'CallExpression' ? args?.[0] : type === 'ArrayExpression' ? elements?.[0] : undefined
  return textOf(first) === 'git'
}

function textOf(node: unknown): unknown {
  return (node as { value?: unknown } | null | undefined)?.value
}

/** `as const` and `satisfies` overrule nothing. */
function isCast({ type, typeAnnotation }: Node): boolean {
  return (type === 'TSAsExpression' || type === 'TSTypeAssertion') && typeAnnotation?.typeName?.name !== 'const'
}

/** Static, dynamic and type imports, and re-exports, all carry their module in `source`. */
function specifierOf(node: Node): string | undefined {
  const value = node.source?.value
  return typeof value === 'string' ? value : undefined
}

function isOfTypes({ type, importKind, exportKind }: Node): boolean {
  return type === 'TSImportType' || (importKind ?? exportKind) === 'type'
}

function unwantedIn(node: Node): string | undefined {
  if (node.type === 'ExportAllDeclaration') return 'a barrel (`export *`)'
  // `declare module 'x'` and `declare global` only add types to someone else's.
  if (node.type === 'TSModuleDeclaration' && isAugmentation(node)) return undefined
  if (writesToTerminal(node)) return RAW_TERMINAL
  if (setsTimer(node)) return RAW_TIMER
  if (hearsServer(node)) return RAW_SERVER_EVENT
  if (node.type === 'NewExpression' && node.callee?.name === 'Date' && node.arguments?.length === 0) return WALL_CLOCK
  return unwantedSyntax[node.type]
}

function writesToTerminal({ object, property, id, init, source }: Node): boolean {
  const taken = init?.name === 'process' ? (id?.properties ?? []).map(({ key }) => key) : [property]
  const isStream = taken.some((name) => name?.name === 'stdout' || name?.name === 'stderr')
  const ofProcess = object?.name === 'process' || init?.name === 'process'
  return object?.name === 'console' || (ofProcess && isStream) || /^node:(process|console)$/.test(`${source?.value}`)
}

const timers = /^set(Timeout|Interval)$/

function setsTimer({ type, callee, source }: Node): boolean {
  if (/^node:timers(\/promises)?$/.test(`${source?.value}`)) return true
  const isGlobal = ['globalThis', 'global'].includes(callee?.object?.name ?? '')
  return type === 'CallExpression' && timers.test((isGlobal ? callee?.property?.name : callee?.name) ?? '')
}

function hearsServer({ type, callee, arguments: given }: Node): boolean {
  const isHeard = /^(on|once|addListener|prependListener|prependOnceListener)$/.test(callee?.property?.name ?? '')
  if (type !== 'CallExpression' || !isHeard) return false
  const event = textOf(given?.[0])
  const of = callee?.object?.property?.name ?? callee?.object?.name ?? ''
  return event === 'upgrade' || event === 'clientError' || (event === 'connect' && /server$/i.test(of))
}

function isAugmentation(node: Node): boolean {
  const { id, kind } = node as Node & { id?: { type?: string }; kind?: string }
  return id?.type === 'Literal' || kind === 'global'
}
