/** Which commits a head has beside its base, asked of a real forge with real git (REVIEW-3, decisions/0064). */
import { expect, test } from 'vitest'
import { commit, run } from '../../../standins/forge/testing/fixture.ts'
import { createCommitGraph } from './commit-graph.ts'
import { BRANCH, push, withGateway } from '../testing/fixture.ts'

const place = { project: 'default/demo', repository: 'library', baseBranch: 'main' }

test('REVIEW-3: the head, those beside it and what the forge does not give; a merge of the base is git’s own or somebody’s', async () => {
  await withGateway(async (fixture) => {
    const person = await fixture.clone('maintainer')
    const graph = createCommitGraph(fixture)
    const sha = async (folder: string, name = 'HEAD'): Promise<string> => run(folder, ['rev-parse', name])
    const pod = await fixture.podClone()
    await commit(pod, { 'docs/style.md': 'b' }, 'Style')
    await push(pod, `HEAD:refs/heads/${BRANCH}`)
    const first = await sha(pod)

    // People may force: what stood there before is on no branch, and the forge gives it still.
    await run(person, ['fetch', '--quiet', 'origin', BRANCH])
    await run(person, ['switch', '--quiet', '-c', 'theirs', first])
    await commit(person, { 'a.md': 'a' }, 'Theirs')
    const dropped = await sha(person)
    await run(person, ['push', '--quiet', 'origin', `HEAD:refs/heads/${BRANCH}`])
    await run(person, ['reset', '--quiet', '--hard', first])
    await run(person, ['push', '--quiet', '--force', 'origin', `HEAD:refs/heads/${BRANCH}`])

    await run(person, ['switch', '--quiet', 'main'])
    const moved = await fixture.push(person, 'main', { 'other.md': 'main moved' })
    await run(person, ['switch', '--quiet', '-C', 'theirs', first])
    await run(person, ['merge', '--quiet', '--no-edit', moved])
    const own = await sha(person)
    await run(person, ['reset', '--quiet', '--hard', first])
    await run(person, ['merge', '--quiet', '--no-commit', moved])
    await commit(person, { 'smuggled.md': 'x' }, 'Merge main')
    const evil = await sha(person)
    await run(person, ['push', '--quiet', 'origin', `${own}:refs/heads/own`, `${evil}:refs/heads/evil`])

    const gone = '1'.repeat(40)
    const read = await graph.read({ ...place, head: own, beside: [dropped, gone] })
    expect(read?.missing).toEqual([gone])
    expect(new Map(read?.commits.map((one) => [one.sha, one.isOwnMerge]))).toEqual(
      new Map([
        [own, true],
        [first, false],
        [dropped, false],
      ]),
    )
    const smuggled = await graph.read({ ...place, head: evil, beside: [] })
    expect(smuggled?.commits.map((one) => [one.sha, one.isOwnMerge])).toEqual([
      [evil, false],
      [first, false],
    ])
    expect(await graph.read({ ...place, head: gone, beside: [] })).toBeUndefined()
    expect(await graph.read({ ...place, baseBranch: 'nowhere', head: own, beside: [] })).toBeUndefined()
  })
})

test('REVIEW-3: a history that is too long to read is no answer: what was pushed beside the head could hide it', async () => {
  await withGateway(async (fixture) => {
    const person = await fixture.clone('maintainer')
    await run(person, ['switch', '--quiet', '-c', 'theirs'])
    for (const name of ['a', 'b', 'c']) await commit(person, { [name]: name }, name)
    const junk = await fixture.push(person, 'theirs', { d: 'd' })
    await run(person, ['switch', '--quiet', '-C', 'work', 'main'])
    const head = await fixture.push(person, 'work', { e: 'e' })
    const read = (mostCommits: number) =>
      createCommitGraph({ ...fixture, mostCommits }).read({ ...place, head, beside: [junk] })
    expect((await read(5))?.commits).toHaveLength(5)
    expect(await read(4)).toBeUndefined()
  })
})
