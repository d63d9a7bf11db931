import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { takeKernelLock } from './kernel-lock.ts'

const module = new URL('./kernel-lock.ts', import.meta.url).href
const holder = `import { takeKernelLock } from '${module}'
  globalThis.held = takeKernelLock(process.argv[1]); console.log(held ? 'has it' : 'refused'); process.stdin.resume()`

describe('the kernel’s lock', () => {
  let folder: string
  let path: string
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'kernel-lock-'))
    path = join(folder, 'lock')
  })
  afterEach(() => rm(folder, { recursive: true }))

  it('is had by one opener of this process at a time', async () => {
    const lock = takeKernelLock(path)
    expect(lock).toBeDefined()
    expect(takeKernelLock(path)).toBeUndefined()
    await lock?.release()
    const next = takeKernelLock(path)
    expect(next).toBeDefined()
    await next?.release()
  })

  it('is had by one process at a time, and comes back when that one is killed', async () => {
    const child = spawn(process.execPath, ['--input-type=module', '-e', holder, path], {
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    const [word] = (await once(child.stdout, 'data')) as [Buffer]
    expect(word.toString()).toBe('has it\n')
    expect(takeKernelLock(path)).toBeUndefined()
    child.kill('SIGKILL')
    await once(child, 'exit')
    const lock = takeKernelLock(path)
    expect(lock).toBeDefined()
    await lock?.release()
  })
})
