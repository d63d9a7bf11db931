import { accessSync, constants, readFileSync, unlinkSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Logger } from '../../http/operational/logging.ts'
import { codeOf } from '../errors.ts'

/**
 * Each secret file is read once and removed: what stays on disk is in the agent's reach (SECURITY-RULE-1). Only on a
 * read-only volume may it stay (POD-ENV-4). Any other failure is thrown.
 */
export function secretFileReader(logger: Logger): (path: string) => string {
  return (path) => {
    const text = readFileSync(path, 'utf8')
    try {
      // Not `rmSync`: its error has an empty code for a file on a read-only volume (Node 24).
      unlinkSync(path)
    } catch (error) {
      const code = codeOf(error)
      if (code === 'ENOENT') return text
      if (!isReadOnly(path)) throw error
      logger.warn({ path, code }, 'the secret file stays: its volume is read-only')
    }
    return text
  }
}

/** A single file may be a mount of its own. A folder that refuses this user alone is no read-only volume. */
function isReadOnly(path: string): boolean {
  return [path, dirname(path)].some((one) => refusalOf(one) === 'EROFS')
}

/** Why the kernel refuses writes there; undefined where it allows them. */
function refusalOf(path: string): string | undefined {
  try {
    accessSync(path, constants.W_OK)
    return undefined
  } catch (error) {
    return codeOf(error)
  }
}
