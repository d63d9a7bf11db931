import { extname } from 'node:path'
import type { Language } from './language.ts'
import { c } from './languages/c.ts'
import { cpp } from './languages/cpp.ts'
import { go } from './languages/go.ts'
import { java } from './languages/java.ts'
import { javascript } from './languages/javascript.ts'
import { python } from './languages/python.ts'
import { rust } from './languages/rust.ts'
import { tsx, typescript } from './languages/typescript.ts'

export const languages: readonly Language[] = [typescript, tsx, javascript, python, go, java, rust, c, cpp]

const byExtension = new Map(languages.flatMap((each) => each.extensions.map((extension) => [extension, each] as const)))
const byName = new Map(languages.map((each) => [each.name, each] as const))

/** The language of a file, by how it ends. Documents aren't in this list: see `documents.ts`. */
export function languageOf(path: string): Language | undefined {
  return byExtension.get(extname(path).toLowerCase())
}

const onlyCpp = /^[^\S\n]*(?:class\s+\w+[^;]*$|namespace\b|template\s*<|using\s|public:|private:|protected:)/m

/** A header may be of either language: it is C unless it says what only C++ has. */
export function languageOfSource(path: string, source: string): Language | undefined {
  const language = languageOf(path)
  return language === c && path.endsWith('.h') && onlyCpp.test(source) ? cpp : language
}

export function languageNamed(name: string): Language {
  const found = byName.get(name)
  if (found === undefined) throw new Error(`no language is called ${name}`)
  return found
}
