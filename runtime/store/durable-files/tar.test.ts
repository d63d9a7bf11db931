import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { unpackTar } from './tar.ts'

describe('a tar', () => {
  let root: string
  let source: string
  let target: string
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'statewright-tar-'))
    source = join(root, 'source')
    target = join(root, 'target')
    mkdirSync(source)
    mkdirSync(target)
  })
  afterEach(() => rmSync(root, { recursive: true }))

  /** By the machine's own tar. */
  function pack(...flags: readonly string[]): Buffer {
    return execFileSync('tar', ['--format=ustar', '-C', source, ...flags, '-cf', '-', '.'], { maxBuffer: 1 << 26 })
  }

  it.each([
    ['an empty file', 'empty', 0],
    ['a file of one block', 'block', 512],
    ['a file of one byte more', 'more', 513],
    ['a file in folders', 'a/b/c', 70_000],
    ['a name beyond a hundred bytes', `${'n'.repeat(60)}/${'m'.repeat(60)}`, 3],
  ])('gives back %s as tar packed it', (_what, name, size) => {
    const bytes = Buffer.alloc(size, 'x')
    mkdirSync(dirname(join(source, name)), { recursive: true })
    writeFileSync(join(source, name), bytes)
    unpackTar(pack(), target)
    expect(readFileSync(join(target, name)).equals(bytes)).toBe(true)
  })

  it('writes nothing outside of its folder', () => {
    writeFileSync(join(source, 'letter'), 'dear')
    expect(() => unpackTar(pack('--transform=s,letter,../outside,', '-P'), target)).toThrow('outside of its folder')
    expect(existsSync(join(root, 'outside'))).toBe(false)
  })

  it('refuses a link', () => {
    symlinkSync('/etc/passwd', join(source, 'link'))
    expect(() => unpackTar(pack(), target)).toThrow('no file or folder')
  })
})
