/** Law B1: what the forge or a pod sends starts no program in the gateway's cache. */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { commit, run, withForge } from '../../../standins/forge/testing/fixture.ts'
import { systemClock } from '../../../runtime/clock.ts'
import { createGitCache } from '../store/cache.ts'
import { judgeMerge } from './judge-merge.ts'
import { pathGuard } from './path-guard.ts'
import { createRunGit } from '../store/run-git.ts'

test('a hostile tree runs no canary in the cache, and does where its configuration is believed', async () => {
  await withForge({}, async (fixture) => {
    const dir = mkdtempSync(join(tmpdir(), 'hostile-cache-'))
    onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
    const canary = join(dir, 'canary')
    writeFileSync(canary, `#!/bin/sh\ntouch ${dir}/ran\nexec cat "$@"\n`, { mode: 0o755 })
    const drivers = `[diff "x"]\n\ttextconv = ${canary}\n\tcommand = ${canary}\n[merge "x"]\n\tdriver = ${canary}\n`
    const clone = await fixture.clone('bot')
    const tree = { '.gitattributes': '* diff=x merge=x filter=x\n', config: drivers, 'info/attributes': '* diff=x\n' }
    await commit(clone, tree, 'A tree that looks like a repository')
    const head = await run(clone, ['rev-parse', 'HEAD'])
    await run(clone, ['push', '--quiet', 'origin', 'HEAD:refs/heads/hostile'])
    await run(clone, ['checkout', '--quiet', '-b', 'other', 'HEAD~1'])
    await commit(clone, { ...tree, config: 'another' }, 'A side that conflicts')
    const other = await run(clone, ['rev-parse', 'HEAD'])
    await run(clone, ['push', '--quiet', 'origin', 'HEAD:refs/heads/other'])
    await run(clone, ['checkout', '--quiet', '--detach', head])
    const cache = createGitCache({ dir, run: createRunGit({ path: process.env['PATH'] ?? '', clock: systemClock }) })
    const url = fixture.forge.gitUrl('acme', 'library')
    const cached = await cache.update({ project: 'p', repository: 'library', forgeId: '1', url, token: 'token-of-bot' })
    expect((await cached.heads()).get('refs/heads/hostile')).toBe(head)
    await cached.quarantine(async ({ git }) => {
      const main = (await cached.heads()).get('refs/heads/main')!
      expect((await git(['merge-base', '--is-ancestor', main, head])).code).toBe(0)
      expect((await git(['diff', '--name-only', main, head])).out).toContain('config')
      expect(await judgeMerge({ git, guard: pathGuard(), base: other, head, method: 'merge' })).toMatchObject({
        kind: 'conflict',
        paths: ['config'],
      })
    })
    expect(existsSync(join(dir, 'ran'))).toBe(false)
    spawnSync('git', ['-c', `include.path=${join(clone, 'config')}`, 'diff', 'HEAD~1', 'HEAD'], { cwd: clone })
    expect(existsSync(join(dir, 'ran'))).toBe(true)
    rmSync(join(dir, 'ran'))
    const person = ['-c', 'user.name=Ann', '-c', 'user.email=ann@example.org']
    spawnSync('git', [...person, '-c', `include.path=${join(clone, 'config')}`, 'merge', other], { cwd: clone })
    expect(existsSync(join(dir, 'ran'))).toBe(true)
  })
})
