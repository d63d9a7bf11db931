/** The transcript that the CLI itself wrote. Its path comes from where agents are (TRANSCRIPT-7). */
import { constants } from 'node:fs'
import { open, readlink, realpath, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * Never through a link, and nothing else than what lies below the CLI's own folder.
 * @throws also where nothing is there yet: with the code ENOENT.
 */
export async function openOwnTranscript(path: string, home: string): Promise<FileHandle> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  try {
    // A folder on the way may be a link as well: what is open has but one path.
    const real = await readlink(`/proc/self/fd/${file.fd}`)
    const found = await file.stat()
    const own = join(await realpath(home), '.claude', 'projects', '/')
    if (!real.startsWith(own) || !found.isFile() || found.nlink !== 1)
      throw new Error('the transcript is no file of the CLI')
    return file
  } catch (error) {
    await file.close()
    throw error
  }
}
