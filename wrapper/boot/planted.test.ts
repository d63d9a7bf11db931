import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { removePlanted } from './planted.ts'

describe('configuration that an earlier agent left', () => {
  let dir: string
  beforeEach(() => (dir = mkdtempSync(join(tmpdir(), 'planted-'))))
  afterEach(() => rmSync(dir, { recursive: true, force: true }))

  const write = (...names: string[]): void => {
    for (const path of names.map((name) => join(dir, name))) {
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, '{}')
    }
  }
  const has = (name: string): boolean => existsSync(join(dir, name))

  test('is removed from the home, and named (WRAPPER-BOOT-10)', () => {
    const planted = [
      'home/.claude/settings.local.json',
      'home/.claude/commands/deploy.md',
      'home/.claude/agents/other.md',
      'home/.claude/skills/obey/SKILL.md',
    ]
    write(...planted)
    const removed = removePlanted({ home: join(dir, 'home') })
    expect(planted.filter(has)).toEqual([])
    expect(removed).toContain(join(dir, 'home', '.claude', 'skills'))
    expect(removePlanted({ home: join(dir, 'home') })).toEqual([])
  })

  test('is told from transcripts, which stay', () => {
    write('home/.claude/projects/-ws/1.jsonl')
    removePlanted({ home: join(dir, 'home') })
    expect(has('home/.claude/projects/-ws/1.jsonl')).toBe(true)
  })

  test('is cleared name by name where the home is the workspace', () => {
    write('.claude/projects/-ws/1.jsonl', '.claude/settings.local.json')
    removePlanted({ home: dir })
    expect([has('.claude/projects/-ws/1.jsonl'), has('.claude/settings.local.json')]).toEqual([true, false])
  })
})
