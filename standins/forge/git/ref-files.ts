/**
 * Refs as git's files tell them: a process for each question took most of the forge's time. gitrepository-layout(5) and
 * git-pack-refs(1) name the two places; nothing packs while somebody reads, because collection is off (`bare.ts`).
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Names for which git's own rules need no asking: none leads out of the folder. */
const plainName = /^refs(?:\/(?![.-])[A-Za-z0-9._+@-]+(?<!\.|\.lock))+$/
const objectId = /^[0-9a-f]{40}$/

/** The object id, `null` where no such ref is, undefined where only git can tell. */
export async function refInFiles(path: string, ref: string): Promise<string | null | undefined> {
  if (!plainName.test(ref) || ref.includes('..') || ref.includes('@{')) return undefined
  const loose = (await textOf(join(path, ref)))?.trim()
  if (loose !== undefined) return objectId.test(loose) ? loose : undefined
  const packed = (await textOf(join(path, 'packed-refs'))) ?? ''
  const line = packed.split('\n').find((each) => each.slice(41) === ref && each[40] === ' ')
  return line === undefined ? null : line.slice(0, 40)
}

async function textOf(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'EISDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined
    throw error
  }
}
