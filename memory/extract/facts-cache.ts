/** Facts of earlier runs by content, so that a file is parsed once. One file a repository; a broken one is only slow. */
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { FileFacts } from './facts.ts'
import { languages } from './languages.ts'

export interface FactsCache {
  get(language: string, sha: string): FileFacts | undefined
  set(language: string, sha: string, facts: FileFacts): void
  /** Keeps what this run has asked for, and nothing else. */
  save(): void
}

/** Grows when facts of the same source come out otherwise. */
const format = 12

/** `version`: of the program. What another one wrote is not read. */
export function openFactsCache(path: string, version: string): FactsCache {
  const mark = markOf(version)
  const before = load(path, mark)
  const used = new Map<string, FileFacts>()
  return {
    get: (language, sha) => {
      const key = `${language} ${sha}`
      const facts = before.get(key)
      if (facts !== undefined) used.set(key, facts)
      return facts
    },
    set: (language, sha, facts) => void used.set(`${language} ${sha}`, facts),
    save: () => {
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
      const lines = [mark, ...[...used].map((entry) => JSON.stringify(entry))]
      writeFileSync(`${path}.new`, `${lines.join('\n')}\n`, { mode: 0o600 })
      renameSync(`${path}.new`, path)
    },
  }
}

function markOf(version: string): string {
  const queries = createHash('sha256').update(JSON.stringify(languages.map(({ name, queries: each }) => [name, each])))
  return `statewright facts ${format} ${version} ${queries.digest('hex')}`
}

function load(path: string, mark: string): ReadonlyMap<string, FileFacts> {
  try {
    const [first, ...lines] = readFileSync(path, 'utf8').trimEnd().split('\n')
    if (first !== mark) return new Map()
    return new Map(lines.map((line) => JSON.parse(line) as [string, FileFacts]))
  } catch {
    return new Map()
  }
}
