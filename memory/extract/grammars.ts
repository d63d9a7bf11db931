/** Parsers, each loaded when the first file of its language comes. */
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { Language as Grammar, Parser, Query } from 'web-tree-sitter'
import type { FileFacts } from './facts.ts'
import type { Language } from './language.ts'
import { readFacts } from './read-facts.ts'

interface Loaded {
  readonly parser: Parser
  readonly query: Query
}

export interface Grammars {
  facts(language: Language, source: string): Promise<FileFacts>
}

/** `programDir`: where the program lies, because its packages are found from there. */
export function grammars(programDir: string): Grammars {
  const find = createRequire(join(programDir, 'package.json'))
  const loaded = new Map<string, Promise<Loaded>>()
  let ready: Promise<void> | undefined

  async function load({ grammar, queries }: Language): Promise<Loaded> {
    ready ??= Parser.init()
    await ready
    const language = await Grammar.load(find.resolve(grammar))
    const parser = new Parser()
    parser.setLanguage(language)
    return { parser, query: new Query(language, queries) }
  }

  return {
    facts: async (language, source) => {
      const known = loaded.get(language.name) ?? load(language)
      loaded.set(language.name, known)
      const { parser, query } = await known
      const tree = parser.parse(source)
      if (tree === null) throw new Error(`the parser of ${language.name} gave up`)
      try {
        return readFacts(tree, query, language)
      } finally {
        tree.delete()
      }
    },
  }
}
