/**
 * What was read once is not asked for again until a statement that is no reading names one of its tables: a life of the
 * orchestrator asks a thousand times for resources that are written four times. Texts are kept and not rows, so that
 * nobody sees what another did to them.
 */
import type { Answer } from './wire.ts'

interface Kind {
  readonly isReading: boolean
  /** Names of columns that are names of tables too count as such: too much is forgotten then, never too little. */
  readonly tables: readonly string[]
  readonly answers: Map<string, Kept>
}

interface Kept {
  readonly answer: Answer
  readonly age: number
}

/** Says something else each time. */
const unsteady = /\b(?:nextval|setval|random|now|clock_timestamp)\b/i

export class RememberedReads {
  readonly #changedAt: Map<string, number>
  readonly #kinds = new Map<string, Kind>()
  #age = 0

  constructor(tables: readonly string[]) {
    this.#changedAt = new Map(tables.map((name) => [name, 0]))
  }

  async answer(text: string, values: readonly (string | null)[], ask: () => Promise<Answer>): Promise<Answer> {
    const { isReading, tables, answers } = this.#kindOf(text)
    this.#age += 1
    if (!isReading) {
      for (const table of tables) this.#changedAt.set(table, this.#age)
      return ask()
    }
    const key = JSON.stringify(values)
    const kept = answers.get(key)
    if (kept && tables.every((table) => this.#changedAt.get(table)! < kept.age)) return kept.answer
    const answer = await ask()
    answers.set(key, { answer, age: this.#age })
    return answer
  }

  forget(): void {
    for (const { answers } of this.#kinds.values()) answers.clear()
  }

  #kindOf(text: string): Kind {
    const known = this.#kinds.get(text)
    if (known) return known
    const tables = [...new Set(text.match(/\w+/g))].filter((word) => this.#changedAt.has(word))
    const isReading = /^\s*select\b/i.test(text) && !unsteady.test(text) && tables.length > 0
    const kind = { isReading, tables, answers: new Map() }
    this.#kinds.set(text, kind)
    return kind
  }
}
