/**
 * Literal calls of tools in the files that agents read, held against a manifest: `scm_read(kind=ci)` names a tool, a
 * field and a word, and all three must exist (SKILLS-3). A bare signature names no word, and what a
 * sentence forbids is no call: both are passed over.
 */
import { nearest } from '../../crd/nearest.ts'
import type { ToolManifest } from '../../edges/agents/mcp/manifest.ts'

export interface SkillFault {
  readonly file: string
  readonly line: number
  readonly column: number
  readonly call: string
  readonly message: string
}

type ManifestTool = ToolManifest['tools'][number]

/** `name(arguments)` with no parenthesis inside: lower case words joined by underscores, as tools are named. */
const callPattern = /(?<![\w.])([a-z]+(?:_[a-z]+)+)\(([^()\n]*)\)/g
const argumentPattern = /^([a-z_]+)\s*=\s*(.+)$/s
/** The clause that leads up to a call, if it forbids or denies it. */
const negation =
  /\b(?:not|never|no|none|nor|cannot|without|avoid|instead of|rather than|wrong|invalid)\b|n['’]t\b|[❌✗✘]/i
const clauseEnd = /[.!?;:]\s|\s[—–]\s/

export function checkSkillText(file: string, text: string, manifest: ToolManifest): readonly SkillFault[] {
  const tools = new Map(manifest.tools.map((tool) => [tool.name, tool]))
  return text.split('\n').flatMap((line, index) =>
    [...line.matchAll(callPattern)]
      .filter((match) => !negation.test(clauseBefore(line, match.index)))
      .flatMap((match) => {
        const [call, name = '', given = ''] = match
        return judge(tools, name, given).map((message) => ({
          file,
          line: index + 1,
          column: match.index + 1,
          call,
          message,
        }))
      }),
  )
}

function clauseBefore(line: string, end: number): string {
  return line.slice(0, end).split(clauseEnd).at(-1) ?? ''
}

function judge(tools: ReadonlyMap<string, ManifestTool>, name: string, given: string): readonly string[] {
  const literals = literalsOf(given)
  if (literals.length === 0) return []
  const tool = tools.get(name)
  if (tool === undefined)
    return isLikeATool(tools, name) ? [`there is no tool ${name}${meant(name, [...tools.keys()])}`] : []
  return literals.flatMap(([field, word]) => judgeLiteral(tool, field, word))
}

/** Other programs' functions are named alike; a name that shares a tool's first word is meant as one. */
function isLikeATool(tools: ReadonlyMap<string, ManifestTool>, name: string): boolean {
  const first = (of: string): string => of.slice(0, of.indexOf('_'))
  const names = [...tools.keys()]
  return nearest(name, names) !== undefined || names.some((tool) => first(tool) === first(name))
}

function judgeLiteral(tool: ManifestTool, field: string, word: string): readonly string[] {
  if (!tool.fields.includes(field)) return [`${tool.name} has no field ${field}${meant(field, tool.fields)}`]
  const words = tool.enums[field]
  if (words === undefined) return []
  return alternatives(word)
    .filter((each) => !words.includes(each))
    .map((each) => `${field} of ${tool.name} is one of ${words.join(', ')}, not ${each}`)
}

function meant(given: string, candidates: readonly string[]): string {
  const best = nearest(given, candidates)
  return best === undefined ? '' : `; did you mean ${best}?`
}

/** `kind="ci"` and `kind=ci|mr`; a name without a value, or with a placeholder, says no word. */
function literalsOf(given: string): readonly (readonly [field: string, word: string])[] {
  return splitArguments(given).flatMap((argument) => {
    const [, field, value] = argumentPattern.exec(argument.trim()) ?? []
    return field === undefined || value === undefined || isPlaceholder(value) ? [] : [[field, value] as const]
  })
}

/** Commas within quotes, brackets and braces belong to the value. */
function splitArguments(given: string): readonly string[] {
  return given.match(/(?:"[^"]*"|'[^']*'|\[[^\]]*\]|\{[^}]*\}|[^,])+/g) ?? []
}

function isPlaceholder(value: string): boolean {
  return /^["'`]?(?:<|\.\.\.|…|\$|\{)/.test(value.trim())
}

function alternatives(value: string): readonly string[] {
  return value
    .trim()
    .split('|')
    .map((word) => word.trim().replace(/^(["'`])(.*)\1$/, '$2'))
}
