/**
 * Entities by rule, no model: what in a text is a name by its own spelling. Everything here is literal; that two names
 * stand together is a guess (tier INFERRED), that one text links another is a fact of the text (EXTRACTED).
 */
export type EntityType = 'identifier' | 'path' | 'url' | 'issue' | 'person' | 'name'

export interface Mention {
  readonly name: string
  readonly type: EntityType
  readonly count: number
}

/** Two names that stand close to each other; the order of the two says nothing. */
export interface Tie {
  readonly from: string
  readonly to: string
  readonly count: number
}

export interface Findings {
  readonly mentions: readonly Mention[]
  readonly ties: readonly Tie[]
}

/** A chunk that names more than this is a listing; the most frequent stay. */
const mostMentions = 24
/** Of one line's names each is tied to the next two only: all pairs of a long line would be noise by the hundred. */
const neighboursTied = 2
const mostTies = 24
const longestName = 120

interface Rule {
  readonly type: EntityType
  readonly pattern: RegExp
}

/** In the order in which they take their text: what an earlier one has taken is no part of a later one's find. */
const rules: readonly Rule[] = [
  { type: 'url', pattern: /\bhttps?:\/\/[^\s<>"'`)\]}]+[^\s<>"'`)\]}.,;:!?]/g },
  { type: 'path', pattern: /(?<![\w/.@-])(?:\.{0,2}\/)?(?:[\w@.-]+\/)+[\w@.-]*\w\b/g },
  {
    type: 'path',
    pattern:
      /(?<![\w/.-])[\w-]+\.(?:ts|tsx|js|jsx|mjs|cjs|py|go|rs|java|c|h|cc|cpp|hpp|rb|kt|md|ya?ml|json|toml|sql|sh)\b/g,
  },
  { type: 'issue', pattern: /(?<![\w&/])(?:[A-Z][A-Z\d]{1,9}-\d{1,6}|#\d{1,6})\b/g },
  { type: 'person', pattern: /(?<![\w@/.])@[a-zA-Z\d](?:[a-zA-Z\d-]{0,37}[a-zA-Z\d])\b/g },
  { type: 'identifier', pattern: /\b[a-zA-Z_$][\w$]*(?:\.[a-zA-Z_$][\w$]*)*\b/g },
  { type: 'name', pattern: /\b\p{Lu}[\p{L}\d]+(?:[ -]\p{Lu}[\p{L}\d]+)*\b/gu },
]

/** What the first word of a sentence is, or code's own word, and no name. */
const commonStarts = new Set(
  `A An And As At But By For From How If In It Its No Not Note Of On Or So The Then There These This Those To Use When Where
  Which While Who Why With You We They He She Is Are Was Were Be Do Does Did Has Have Had Will Would Should Could Can May Must
  After Before Every Each Any All Some Only Also True False None Null Error String Number Boolean Object Array Promise
  Here What Both One Two Three New Yes See Returns Return`.split(/\s+/),
)

export function findEntities(text: string): Findings {
  const mentions = new Counter<Mention>()
  const ties = new Counter<Tie>()
  for (const line of text.split('\n')) {
    const named = namesOf(line)
    for (const { name, type } of named) mentions.add(entityKey(name), { name, type, count: 1 })
    for (const one of tiesOf(named)) ties.add(`${entityKey(one.from)}\n${entityKey(one.to)}`, one)
  }
  const kept = mentions.most(mostMentions)
  const keys = new Set(kept.map((one) => entityKey(one.name)))
  const between = (one: Tie): boolean => keys.has(entityKey(one.from)) && keys.has(entityKey(one.to))
  return { mentions: kept, ties: ties.most(mostTies, between) }
}

class Counter<T extends { readonly count: number }> {
  readonly #items = new Map<string, T>()

  add(key: string, item: T): void {
    const known = this.#items.get(key)
    this.#items.set(key, known ? { ...known, count: known.count + item.count } : item)
  }

  /** Of equally frequent ones the earlier. */
  most(limit: number, isWanted: (item: T) => boolean = () => true): T[] {
    return [...this.#items.values()]
      .filter(isWanted)
      .toSorted((a, b) => b.count - a.count)
      .slice(0, limit)
  }
}

/** Two spellings of one name. Identifiers keep their case in what is shown, not in what they are found by. */
export function entityKey(name: string): string {
  return name.normalize('NFKC').trim().toLowerCase()
}

interface Named {
  readonly name: string
  readonly type: EntityType
  readonly at: number
}

function namesOf(line: string): Named[] {
  let rest = line
  const found: Named[] = []
  for (const { type, pattern } of rules) {
    rest = rest.replaceAll(pattern, (match: string, ...more: unknown[]) => {
      const name = type === 'name' ? withoutCommonStart(match) : match
      if (!isName(name, type)) return match
      found.push({ name, type, at: Number(more.find((one) => typeof one === 'number')) })
      return ' '.repeat(match.length)
    })
  }
  return found.toSorted((a, b) => a.at - b.at)
}

function withoutCommonStart(match: string): string {
  const names = match.split(' ')
  while (names.length > 0 && commonStarts.has(names[0]!)) names.shift()
  return names.join(' ')
}

function isName(name: string, type: EntityType): boolean {
  if (name.length < 2 || name.length > longestName) return false
  if (type === 'path') return name.length > 3 && /[a-zA-Z]/.test(name) && !/^\d/.test(name)
  if (type === 'identifier') return isIdentifier(name)
  return type !== 'name' || name.length > 2
}

/** Spelled as prose never is: camelCase, several capitals within, an underscore between, a dot between lower-case names. */
function isIdentifier(name: string): boolean {
  const parts = name.split('.')
  if (parts.length > 1) return parts.every((part) => part.length > 1) && parts.some((part) => !/^[A-Z]/.test(part))
  return /\p{Ll}\p{Lu}/u.test(name) || /[a-zA-Z\d]_[a-zA-Z\d]/.test(name) || /\p{Lu}{2}\p{Ll}{2}/u.test(name)
}

function tiesOf(named: readonly Named[]): Tie[] {
  return named.flatMap((one, at) =>
    named
      .slice(at + 1, at + 1 + neighboursTied)
      .filter((other) => entityKey(other.name) !== entityKey(one.name))
      .map((other) => {
        const [from, to] = [one.name, other.name].toSorted((a, b) => (entityKey(a) < entityKey(b) ? -1 : 1))
        return { from: from!, to: to!, count: 1 }
      }),
  )
}

/** The targets of a Markdown text's links, by the text alone. */
export function linkTargets(text: string): string[] {
  const targets = [...text.matchAll(/\[[^\]\n]{0,300}\]\(([^)\s]{1,500})\)/g)].map(([, target]) => target!)
  return [...new Set(targets.map((target) => target.replace(/#.*$/, '')).filter((target) => target.length > 2))]
}
