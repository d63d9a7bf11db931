/** REVIEW-3, HEAD-1, MERGE-4: what is merged is what was judged, whoever else may write to the repository. */
import { suite, type Attack, type Suite, type Wall } from '../attack.ts'
import { openJudgements, openJudgementsAtGitlab, STRICT, type JudgementScene } from '../stages/judgements.ts'

type Act = (scene: JudgementScene) => Promise<unknown>

/** Which kind of pod it is decides nothing here. */
function attack(name: string, wall: Wall, of: Omit<Attack<JudgementScene>, 'name' | 'walls'>): Attack<JudgementScene> {
  return { name, profile: 'implement', walls: [wall], ...of }
}

/** What somebody pushed is on main, although no maintainer let it merge. */
function smuggled(name: string, plant: Act, wall: Wall = 'who-pushed'): Attack<JudgementScene> {
  return attack(name, wall, {
    plant,
    provoke: (scene) => scene.decide(),
    succeeded: (scene) => scene.has('main', scene.evil),
  })
}

const onTop = smuggled('a commit on top, during the review', async (scene) => {
  await scene.begin()
  await scene.push('stranger', scene.commit(scene.evil))
})

/** `base` has the work, although no verdict of now is on that pair. */
function rebased(name: string, base: string, provoke: Act): Attack<JudgementScene> {
  return attack(name, 'judged-base', {
    plant: (scene) => scene.begin(),
    provoke,
    succeeded: (scene) => scene.has(base, scene.work),
  })
}

const lost = (event: string, base: string): Attack<JudgementScene> =>
  rebased('another base after the verdict, while its delivery is lost', base, async (scene) => {
    await scene.approve()
    scene.lose(event)
    await scene.rebase(base)
    await scene.merge()
  })

/** The forge would let the bot past what it requires of a head; the bot's token administers nothing. */
function unmet(name: string, plant: Act, despite: readonly string[] = []): Attack<JudgementScene> {
  return attack(name, 'requirements', {
    plant: async (scene) => {
      await scene.begin(STRICT)
      await plant(scene)
    },
    provoke: (scene) => scene.decide(despite),
    succeeded: (scene) => scene.has(STRICT, scene.work),
  })
}

const attacks: readonly Attack<JudgementScene>[] = [
  onTop,
  smuggled('a commit on top, whose push is never told', async (scene) => {
    await scene.begin()
    scene.lose('push')
    scene.lose('pull_request')
    await scene.push('stranger', scene.commit(scene.evil))
  }),
  smuggled('a commit under a pod’s, in the branch that the pod starts from', async (scene) => {
    await scene.push('stranger', scene.commit(scene.evil, scene.tip('main')))
    await scene.begin()
  }),
  smuggled('a commit that was taken back, and that a pod has and pushes again', async (scene) => {
    await scene.begin()
    const before = scene.tip()
    const theirs = scene.commit(scene.evil)
    await scene.push('stranger', theirs)
    await scene.push('stranger', before)
    await scene.push('bot', scene.commit('more.md', theirs))
  }),
  smuggled(
    'a commit that a pod starts from, taken back and its branch deleted before the pod pushes',
    async (scene) => {
      const theirs = scene.commit(scene.evil, scene.tip('main'))
      await scene.push('stranger', theirs)
      await scene.push('stranger', scene.tip('main'))
      await scene.drop('stranger')
      await scene.begin('main', theirs)
    },
  ),
  smuggled(
    'a merge of main that brings more than main',
    async (scene) => {
      await scene.begin()
      await scene.push('maintainer', scene.commit('main.md', scene.tip('main')), 'main')
      await scene.push('stranger', scene.commit(scene.evil, scene.tip(), scene.tip('main')))
    },
    'own-merges',
  ),
  rebased('another base after the verdict', 'release-told', async (scene) => {
    await scene.approve()
    await scene.rebase('release-told')
    await scene.merge()
  }),
  lost('pull_request', 'release-lost'),
  rebased('another base between the judgement of the merge and the merge', 'release-late', async (scene) => {
    scene.meanwhile(() => scene.rebase('release-late'))
    await scene.decide()
  }),
  rebased('another base while the reviewer reads, and back before the verdict', 'main', async (scene) => {
    await scene.rebase('release-back')
    await scene.rebase('main')
    await scene.decide()
  }),
  unmet('a check that a ruleset requires, not reported yet', (scene) => scene.report('lint', 'success')),
  unmet('a red check that was left aside before a ruleset required it', (scene) => scene.report('build', 'failure'), [
    'build',
  ]),
]

const name = '16 merges past a judgement'
export const judgements: Suite = suite(name, openJudgements, attacks)
export const judgementsAtGitlab: Suite = suite(name, openJudgementsAtGitlab, [
  onTop,
  lost('Merge Request Hook', 'release'),
])
