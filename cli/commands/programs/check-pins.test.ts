import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { UsageError } from '../../args.ts'
import { checkPins } from './check-pins.ts'

describe('check-pins', () => {
  let dir = ''
  beforeEach(() => void (dir = mkdtempSync(join(tmpdir(), 'pins-'))))
  afterEach(() => {
    vi.restoreAllMocks()
    rmSync(dir, { recursive: true })
  })

  async function check(files: Readonly<Record<string, string>>): Promise<{ code: number; out: string; err: string }> {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(dir, name)), { recursive: true })
      writeFileSync(join(dir, name), text)
    }
    const [out, err]: [string[], string[]] = [[], []]
    vi.spyOn(console, 'log').mockImplementation((line: string) => void out.push(line))
    vi.spyOn(console, 'error').mockImplementation((line: string) => void err.push(line))
    return { code: await checkPins([dir]), out: out.join('\n'), err: err.join('\n') }
  }

  test('passes a deployment whose skills and images are releases', async () => {
    const files = { 'a/values.yaml': 'skillsRef: v1.0.0\n', 'b.yml': 'image: x/statewright-wrapper:v2.0.0\n' }
    expect(await check(files)).toEqual({ code: 0, out: '2 pins in 2 files, 0 of them not to a release', err: '' })
  })

  test('fails, and tells file, line and reason of every one that is not (PROJECT-AGENT-16)', async () => {
    const files = {
      'a.yaml': 'skillsRef: v1.0.0\n',
      'z/b.yaml': '# x\nskillsRef: main\n',
      'z/.git/c.yaml': 'skillsRef: x\n',
    }
    expect(await check(files)).toEqual({
      code: 1,
      out: '2 pins in 2 files, 1 of them not to a release',
      err: 'z/b.yaml:2: skills: `main` is not a release tag vX.Y.Z',
    })
  })

  test('fails where there is nothing to guard', async () => {
    const { code, err } = await check({ 'a.yaml': 'x: 1\n' })
    expect([code, err]).toEqual([1, `1 files in ${dir}, and none names a skillsRef or the wrapper's image`])
  })

  test('is called wrongly without a folder', async () => {
    await expect(checkPins([])).rejects.toThrow(UsageError)
    await expect(checkPins([join(dir, 'absent')])).rejects.toThrow('is not a folder')
  })
})
