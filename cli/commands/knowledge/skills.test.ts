import { mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { UsageError } from '../../args.ts'
import { skills } from './skills.ts'
import { said } from '../testing/fixture.ts'

async function check(
  ...args: readonly string[]
): Promise<{ readonly code: number; readonly out: string; readonly err: string }> {
  let code = -1
  const printed = await said(async () => void (code = await skills(['check', ...args])))
  return { code, ...printed }
}

describe('skills check', () => {
  let dir: string
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'skills-'))
    await mkdir(join(dir, 'review', 'references'), { recursive: true })
    await mkdir(join(dir, 'node_modules'))
    await writeFile(join(dir, 'review', 'SKILL.md'), 'Read scm_read(kind=ci, repo=api).\n')
    await writeFile(join(dir, 'node_modules', 'x.md'), 'scm_read(kind=nonsense)\n')
  })
  afterEach(() => rm(dir, { recursive: true, force: true }))

  test('passes over a folder whose calls are all good', async () => {
    expect(await check(dir)).toMatchObject({ code: 0, out: '1 files, 0 faults' })
  })

  test('names every fault with its place, and fails (SKILLS-3, SKILLS-6)', async () => {
    const file = join(dir, 'review', 'references', 'more.md')
    await writeFile(file, 'Then mr_write(action=merge).\n')
    const { code, out } = await check(dir)
    expect(code).toBe(1)
    expect(out).toContain(`${file}:1:6: mr_write(action=merge): action of mr_write is one of`)
    const json = await check(dir, '--json')
    expect(JSON.parse(json.out)).toMatchObject({ files: 2, faults: [{ file, line: 1 }] })
  })

  test('holds skills against the manifest of the release they are for', async () => {
    const manifest = join(dir, 'tool-manifest.json')
    await writeFile(manifest, JSON.stringify({ contractVersion: 3, tools: [] }))
    const { code, out } = await check(dir, '--manifest', manifest)
    expect([code, out]).toEqual([0, '1 files, 0 faults'])
  })

  test('only warns when the manifest cannot be had (SKILLS-5)', async () => {
    const { code, out, err } = await check(dir, '--manifest', 'http://127.0.0.1:1/m.json')
    expect([code, out]).toEqual([0, ''])
    expect(err).toContain('WARN no manifest from http://127.0.0.1:1/m.json')
  })

  test('says how it is called', async () => {
    await expect(skills(['check'])).rejects.toThrow(UsageError)
    await expect(skills(['check', join(dir, 'none')])).rejects.toThrow('there is no')
  })
})
