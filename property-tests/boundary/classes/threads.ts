import { topicMarker, withMarkers } from '../../../edges/forge/marker.ts'
import type { ApprovedIssue } from '../../../edges/forge/mirror/testing/approved-issue.ts'
import { suite, type Attack, type Suite } from '../attack.ts'
import { openThreads } from '../stages/threads.ts'

type Walls = Attack<ApprovedIssue>['walls']

/** Which kind of pod it is decides nothing here. */
const profile = 'implement'

/** The change is merged on what `plant` left of the thread. */
function merged(
  name: string,
  walls: Walls,
  plant: (approved: ApprovedIssue) => Promise<unknown>,
): Attack<ApprovedIssue> {
  return {
    ...{ name, profile, walls, plant },
    provoke: async (approved) => {
      // Whoever asked once asks again.
      if (!approved.isGranted) approved.claim(approved.approval)
      await approved.merge()
    },
    succeeded: ({ isMerged }) => isMerged,
  }
}

/** The Issue grants it. */
function granted(
  name: string,
  walls: Walls,
  plant: (approved: ApprovedIssue) => Promise<unknown>,
): Attack<ApprovedIssue> {
  return {
    ...{ name, profile, walls, plant },
    provoke: async (approved) => {
      await approved.fixture.edge.mirror.refresh('demo', 'library', 'issue', approved.number)
      if (!approved.isGranted) approved.claim(approved.approval)
    },
    succeeded: ({ isGranted }) => isGranted,
  }
}

async function heard(approved: ApprovedIssue, act: () => void): Promise<void> {
  act()
  await approved.fixture.quiet()
}

async function unheard(approved: ApprovedIssue, act: () => void): Promise<void> {
  approved.loseWebhooks()
  act()
  await approved.resync()
}

/** Nothing is approved but what comes of this comment. */
async function remark(approved: ApprovedIssue): Promise<number> {
  const id = await approved.sayHeard('acme', 'I will look at it tomorrow.')
  await heard(approved, () => approved.delete('maintainer', approved.approval))
  return id
}

async function claim(approved: ApprovedIssue, id: number): Promise<void> {
  approved.claim(id)
}

const theirs = { body: 'We need it, and a way in for me.' }

const attacks: readonly Attack<ApprovedIssue>[] = [
  merged('a /hold edited by a collaborator', ['hands'], async (approved) => {
    const hold = await approved.sayHeard('acme', '/hold')
    await heard(approved, () => approved.edit('stranger', hold, 'fine by me'))
  }),
  granted('a /hold edited by another maintainer', ['hands'], async (approved) => {
    const hold = await approved.sayHeard('acme', '/hold')
    await heard(approved, () => approved.edit('maintainer', hold, 'fine by me'))
  }),
  merged('a /hold edited while the webhook is lost', ['hands'], async (approved) => {
    const hold = await approved.sayHeard('acme', '/hold')
    await unheard(approved, () => approved.edit('stranger', hold, 'fine by me'))
  }),
  merged('a /hold deleted by a collaborator', ['hands'], async (approved) => {
    const hold = await approved.sayHeard('acme', '/hold')
    await heard(approved, () => approved.delete('stranger', hold))
  }),
  merged('a /hold deleted while the webhook is lost', ['judged-thread'], async (approved) => {
    const hold = await approved.sayHeard('acme', '/hold')
    await unheard(approved, () => approved.delete('stranger', hold))
  }),
  granted('a /hold whose row the mirror lost', ['withdrawals-kept'], async (approved) => {
    const hold = await approved.sayHeard('acme', '/hold')
    await heard(approved, () => approved.delete('stranger', hold))
    await approved.fixture.sql.query('delete from forge_comment where id = $1', [String(hold)])
    await approved.resync()
  }),
  merged('a /hold with a pasted marker of the platform', ['own-authorship'], async (approved) => {
    await approved.sayHeard('acme', withMarkers('/hold', topicMarker('plan')))
  }),
  granted('a /hold edited into /approve', ['judged-thread'], async (approved) => {
    const hold = await approved.sayHeard('acme', '/hold')
    await heard(approved, () => approved.edit('stranger', hold, '/approve'))
    await claim(approved, hold)
  }),
  merged("a maintainer's comment edited into /approve", ['judged-thread'], async (approved) => {
    const id = await remark(approved)
    await heard(approved, () => approved.edit('stranger', id, '/approve'))
    await claim(approved, id)
  }),
  granted(
    "a maintainer's comment edited into /approve while the webhook is lost",
    ['judged-thread'],
    async (approved) => {
      const id = await remark(approved)
      await unheard(approved, () => approved.edit('stranger', id, '/approve'))
      await claim(approved, id)
    },
  ),
  granted(
    "a maintainer's comment, never told, edited into /approve in its own second",
    ['judged-thread'],
    async (approved) => {
      await heard(approved, () => approved.delete('maintainer', approved.approval))
      let id = 0
      await unheard(approved, () => {
        id = approved.say('acme', 'Hm, no.')
        approved.edit('stranger', id, '/approve')
      })
      await claim(approved, id)
    },
  ),
  granted("a comment of the bot's edited into /approve", ['own-authorship', 'judged-thread'], async (approved) => {
    const id = await approved.sayHeard('bot', 'The plan waits.')
    await heard(approved, () => approved.delete('maintainer', approved.approval))
    await heard(approved, () => approved.edit('stranger', id, '/approve'))
    await claim(approved, id)
  }),
  merged("an issue's text edited while the webhook is lost", ['signed-text'], async (approved) => {
    await unheard(approved, () => approved.rewrite('stranger', theirs))
  }),
  granted(
    "an issue's text rewritten by an agent between a maintainer's word and its claim",
    ['signed-text'],
    async (approved) => {
      await approved.rewriteHeard('bot', theirs)
      await claim(approved, approved.approval)
    },
  ),
  merged('a doubt of a maintainer edited by a collaborator', ['hands'], async (approved) => {
    const doubt = await approved.sayHeard('acme', 'Please hold off, legal has to look at this first.')
    await heard(approved, () => approved.edit('stranger', doubt, 'fine by me'))
  }),
  merged('a doubt of a maintainer deleted while the webhook is lost', ['judged-thread'], async (approved) => {
    const doubt = await approved.sayHeard('acme', 'Please hold off, legal has to look at this first.')
    await unheard(approved, () => approved.delete('stranger', doubt))
  }),
  granted("an issue's text edited unheard, and then its title by a maintainer", ['signed-text'], async (approved) => {
    approved.loseNextEdit()
    approved.rewrite('stranger', theirs)
    await approved.rewriteHeard('maintainer', { title: 'Add mul, please' })
  }),
  {
    name: "a maintainer's comment edited into /hold, which stops the work in that name",
    profile,
    walls: ['judged-thread'],
    plant: async (approved) => {
      const id = await approved.sayHeard('acme', 'I will look at it tomorrow.')
      await heard(approved, () => approved.edit('stranger', id, '/hold'))
    },
    succeeded: ({ isGranted }) => !isGranted,
  },
  {
    name: "a maintainer's comment edited into /allow-ci-changes",
    profile,
    walls: ['hands'],
    plant: async (approved) => {
      const id = await approved.sayHeard('acme', 'I will look at the workflow tomorrow.')
      await heard(approved, () => approved.edit('stranger', id, '/allow-ci-changes'))
    },
    succeeded: async ({ fixture: { edge }, number }) => {
      const said = await edge.mirror.maintainerCommandTimes('demo', 'library', 'issue', number, 'allow-ci-changes')
      return said.length > 0
    },
  },
]

export const threads: Suite = suite('12 words of people', openThreads, attacks)
