import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join, normalize, sep } from 'node:path'

const blockSize = 512

interface TarEntry {
  readonly name: string
  readonly isFolder: boolean
  readonly bytes: Uint8Array
}

/** Writes the files and folders of a tar below `folder`, readable by their owner alone. Throws on a name that leads outside. */
export function unpackTar(tar: Uint8Array, folder: string): void {
  for (const { name, isFolder, bytes } of entriesOf(tar)) {
    const path = normalize(join(folder, name))
    if (path !== folder && !path.startsWith(folder + sep)) throw new Error(`a tar names ${name}, outside of its folder`)
    mkdirSync(isFolder ? path : dirname(path), { recursive: true, mode: 0o700 })
    if (!isFolder) writeFileSync(path, bytes, { mode: 0o600 })
  }
}

/** POSIX ustar: a header of one block, then the file in whole blocks; a block of zeroes ends it. */
function* entriesOf(tar: Uint8Array): Generator<TarEntry> {
  const text = (from: number, length: number): string =>
    Buffer.from(tar.subarray(from, from + length))
      .toString('utf8')
      .replace(/\0.*$/s, '')
  for (let at = 0; at + blockSize <= tar.length && tar[at] !== 0;) {
    const size = Number.parseInt(text(at + 124, 12), 8)
    const kind = text(at + 156, 1)
    if (!Number.isSafeInteger(size) || !['', '0', '5'].includes(kind))
      throw new Error('a tar holds what is no file or folder')
    const prefix = text(at + 345, 155)
    const name = prefix === '' ? text(at, 100) : `${prefix}/${text(at, 100)}`
    const from = at + blockSize
    yield { name, isFolder: kind === '5', bytes: tar.subarray(from, from + size) }
    at = from + Math.ceil(size / blockSize) * blockSize
  }
}
