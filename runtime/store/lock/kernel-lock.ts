import { DatabaseSync } from 'node:sqlite'
import type { StoreLock } from './store-lock.ts'

const sqliteBusy = 5

/**
 * A lock that the kernel takes back when its process ends, however it ends, and that processes see which do not see
 * each other's numbers: two containers over one volume. Node has no call for it, so SQLite takes it, on a file that
 * stays empty. Undefined when somebody has it.
 */
export function takeKernelLock(path: string): StoreLock | undefined {
  const file = new DatabaseSync(path)
  try {
    file.exec('pragma locking_mode = exclusive; begin exclusive')
  } catch (error) {
    file.close()
    if (error instanceof Error && 'errcode' in error && error.errcode === sqliteBusy) return undefined
    throw error
  }
  return {
    release: () => {
      file.close()
      return Promise.resolve()
    },
  }
}
