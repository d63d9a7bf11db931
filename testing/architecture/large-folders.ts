import { posix } from 'node:path'
import type { Ratchet } from './ratchet.ts'

/** Tests counted: a folder is what somebody reads through. */
const mostFiles = 25

/** More files are no room with one subject. Folders below it are rooms of their own. */
export const largeFolders: Ratchet = {
  name: 'large-folders',
  remedy: 'Give a subject of it a folder of its own.',
  breaches: ({ paths }) => {
    const folders = Map.groupBy(
      paths.filter((path) => path.endsWith('.ts')),
      (path) => posix.dirname(path),
    )
    return [...folders]
      .filter(([, files]) => files.length > mostFiles)
      .map(([folder, files]) => ({ entry: folder, count: files.length, at: `${folder}/` }))
  },
}
