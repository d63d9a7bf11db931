// Which part of a bundle a program needs: chunks by their imports, files by the names that those chunks have for them.
import { basename } from 'node:path'

const ownFile = /new URL\(["']\.\/([^"']+)["'],\s*import\.meta\.url\)/g
const commandFolder = /\/cli\/commands\/[^/]+\/([^/]+)\.ts$/

/**
 * @param {readonly object[]} chunks as rolldown returns them; the command line loads each command by a dynamic import.
 * @param {(command: string) => boolean} brings by the name of the command's module below `cli/commands`.
 * @returns chunks and files to keep, relative to the bundle; `imported`: what npm installs and they import; `code`: all of
 * their code; `leftOut`: the chunk and the name of each command that is not kept.
 */
export function reach(chunks, brings) {
  const byName = new Map(chunks.map((chunk) => [chunk.fileName, chunk]))
  const entry = chunks.find(({ isEntry, name }) => isEntry && name === 'statewright')
  const commands = entry.dynamicImports.map((file) => ({ file, command: commandOf(byName.get(file)) }))
  const open = [entry.fileName, ...entry.imports, ...commands.filter(({ command }) => brings(command)).map(fileOf)]
  const kept = new Map()
  const files = new Set()
  const imported = new Set()
  while (open.length > 0) {
    const name = open.pop()
    const chunk = byName.get(name)
    if (kept.has(name)) continue
    if (chunk === undefined) {
      imported.add(name)
      continue
    }
    kept.set(name, chunk)
    // The command line itself loads only what it is asked for.
    if (chunk !== entry) open.push(...chunk.imports, ...chunk.dynamicImports)
    for (const [, path] of chunk.code.matchAll(ownFile)) {
      if (byName.has(path)) open.push(path)
      else files.add(path)
    }
  }
  return {
    chunks: [...kept.keys()],
    files: [...files],
    imported: [...imported].filter((name) => !name.startsWith('node:')),
    code: [...kept.values()].map(({ code }) => code).join('\n'),
    leftOut: commands.filter(({ file }) => !kept.has(file)),
  }
}

function fileOf({ file }) {
  return file
}

function commandOf({ fileName, facadeModuleId }) {
  return commandFolder.exec(facadeModuleId ?? '')?.[1] ?? basename(fileName)
}
