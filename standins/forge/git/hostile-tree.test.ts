/** Law B1: what a push holds starts no program in the stand-in's repositories. */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { commit, run, withForge } from '../testing/fixture.ts'

test('a pushed tree runs no canary in the bare repository, and does where its configuration is believed', async () => {
  await withForge({}, async (fixture) => {
    const dir = mkdtempSync(join(tmpdir(), 'hostile-push-'))
    onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
    const canary = join(dir, 'canary')
    writeFileSync(canary, `#!/bin/sh\ntouch ${dir}/ran\nexec cat "$@"\n`, { mode: 0o755 })
    const drivers = `[filter "x"]\n\tclean = ${canary}\n\tsmudge = ${canary}\n[diff "x"]\n\ttextconv = ${canary}\n`
    const clone = await fixture.clone('bot')
    const hooks = ['pre-receive', 'update', 'post-receive', 'post-update']
    await commit(
      clone,
      {
        '.gitattributes': '* filter=x diff=x merge=x\n',
        config: drivers,
        ...Object.fromEntries(hooks.map((hook) => [`hooks/${hook}`, `#!/bin/sh\n${canary} </dev/null\n`])),
      },
      'A tree that looks like a repository',
    )
    await run(clone, ['push', '--quiet', 'origin', 'HEAD:refs/heads/hostile'])
    await run(fixture.path, ['diff', '--stat', 'main', 'hostile'])
    await run(clone, ['fetch', '--quiet', 'origin'])
    expect(existsSync(join(dir, 'ran'))).toBe(false)
    spawnSync('git', ['-c', `include.path=${join(clone, 'config')}`, 'add', '--renormalize', '.'], { cwd: clone })
    expect(existsSync(join(dir, 'ran'))).toBe(true)
  })
})
