/** BENCHMARKS.md has one section a bench, and each bench writes its own: no figure in it is typed by hand. */
import { readFile, writeFile } from 'node:fs/promises'

const documentUrl = new URL('../../BENCHMARKS.md', import.meta.url)

export function withSection(document: string, name: string, text: string): string {
  const begin = `<!-- begin ${name}: written by npm run bench -- ${name} --write -->`
  const end = `<!-- end ${name} -->`
  const section = `${begin}\n${text.trim()}\n${end}`
  const from = document.indexOf(begin)
  const to = document.indexOf(end)
  if (from < 0 || to < from) return `${document.trimEnd()}\n\n${section}\n`
  return document.slice(0, from) + section + document.slice(to + end.length)
}

export async function writeSection(name: string, text: string): Promise<void> {
  await writeFile(documentUrl, withSection(await readFile(documentUrl, 'utf8'), name, text))
}
