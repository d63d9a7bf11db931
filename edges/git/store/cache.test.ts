/** The gateway's copy of one repository never shows objects of another one that had its name (MIRROR-7). */
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { commit, run, withForge } from '../../../standins/forge/testing/fixture.ts'
import { systemClock } from '../../../runtime/clock.ts'
import { createGitCache, type GitCache, type Remote } from './cache.ts'
import { createRunGit } from './run-git.ts'

type See = (change: Partial<Remote>) => Promise<boolean>

async function withCopies(use: (see: See, dir: string, cache: GitCache) => Promise<void>): Promise<void> {
  await withForge({}, async (fixture) => {
    const dir = mkdtempSync(join(tmpdir(), 'git-cache-'))
    onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
    const cache = createGitCache({ dir, run: createRunGit({ path: process.env['PATH'] ?? '', clock: systemClock }) })
    const mine = { project: 'uid', repository: 'library', forgeId: '1', token: 'token-of-bot' }
    const clone = await fixture.clone('bot')
    await commit(clone, { 'secret.txt': 'inner matter' }, 'Secret')
    const secret = await run(clone, ['rev-parse', 'HEAD'])
    await run(clone, ['push', '--quiet', 'origin', 'HEAD:refs/heads/secret'])
    await cache.update({ ...mine, url: fixture.forge.gitUrl('acme', 'library') })
    await run(clone, ['push', '--quiet', 'origin', ':refs/heads/secret'])
    await fixture.forge.createRepository({ owner: 'acme', name: 'other', permissions: { bot: 'admin' } })
    const see: See = async (change) => {
      const copy = await cache.update({ ...mine, url: fixture.forge.gitUrl('acme', 'other'), ...change })
      return copy.quarantine(async ({ git }) => (await git(['cat-file', '-e', `${secret}^{commit}`])).code === 0)
    }
    await use(see, dir, cache)
  })
}

test('MIRROR-7: a commit of another repository of the name, or of another Project of the name, is not in sight', async () => {
  await withCopies(async (see) => {
    expect(await see({ forgeId: '2' })).toBe(false)
    expect(await see({ project: 'another' })).toBe(false)
    // The key alone keeps them apart.
    expect(await see({})).toBe(true)
  })
})

test('MIRROR-8: a copy that is forgotten is gone, and no other one of the Project', async () => {
  await withCopies(async (see, dir, cache) => {
    await see({ forgeId: '2' })
    expect(readdirSync(join(dir, 'uid'))).toEqual(['library%231.git', 'library%232.git'])
    await cache.forget({ project: 'uid', repository: 'library', forgeId: '1' })
    await cache.forget({ project: 'uid', repository: '..', forgeId: '/../..' })
    expect(readdirSync(join(dir, 'uid'))).toEqual(['library%232.git'])
    await cache.forget({ project: 'uid', repository: 'library', forgeId: '2' })
    expect(existsSync(join(dir, 'uid'))).toBe(false)
  })
})
