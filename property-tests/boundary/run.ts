import { NeedsRoot, type Attack, type Lived, type Profile, type Suite, type Wall } from './attack.ts'
import { isDrawn } from '../../testing/drawn.ts'
import type { Cluster } from './stages/cluster.ts'
import type { Outcome } from './verdict.ts'

interface Member {
  readonly suite: Suite
  readonly attack: Pick<Attack<never>, 'name' | 'isOfSuperusers' | 'walls'>
}

/** What is lived on one stage, one after another. */
interface Group {
  readonly profile: Profile
  readonly down: readonly Wall[]
  readonly members: readonly Member[]
}

const profiles: readonly Profile[] = ['implement', 'review']

/** The attacks of a stage and a profile are lived on one; so are the controls that take down the same walls. */
export function groupsOf(suites: readonly Suite[], isShort: boolean): readonly Group[] {
  const stages = [...new Set(suites.map(({ shared }) => shared))]
  return stages.flatMap((shared) => {
    const own = suites.filter((suite) => suite.shared === shared)
    return profiles.flatMap((profile) =>
      byWalls(
        profile,
        own.flatMap((suite) => due(suite, profile, isShort)),
        isShort,
      ),
    )
  })
}

function byWalls(profile: Profile, members: readonly Member[], isShort: boolean): readonly Group[] {
  if (members.length === 0) return []
  const controls = members.filter(({ suite, attack }) => !isShort || isDrawn(`${suite.class} ${attack.name}`))
  const sets = [...new Set(controls.map(({ attack }) => attack.walls.join()))]
  const alike = sets.map((set) => controls.filter(({ attack }) => attack.walls.join() === set))
  return [
    { profile, down: [], members },
    ...alike.map((some) => ({ profile, down: some[0]!.attack.walls, members: some })),
  ]
}

/** The short form lives each attack in one kind of pod. */
function due(suite: Suite, profile: Profile, isShort: boolean): readonly Member[] {
  return suite.attacks
    .filter(({ isDear }) => !isShort || isDear !== true)
    .filter((attack, index) =>
      isShort
        ? profile === (attack.profile ?? suite.shortIn ?? profiles[index % profiles.length])
        : attack.profile !== other(profile),
    )
    .map((attack) => ({ suite, attack }))
}

function other(profile: Profile): Profile {
  return profile === 'review' ? 'implement' : 'review'
}

export async function runAll(
  suites: readonly Suite[],
  options: {
    readonly isShort: boolean
    readonly jobs: number
    /** Where pods are; absent: processes of this machine. */
    readonly cluster?: Cluster
    readonly told: (outcome: Outcome) => void
  },
): Promise<readonly Outcome[]> {
  const waiting = [...groupsOf(suites, options.isShort)]
  const outcomes: Outcome[] = []
  const take = (outcome: Outcome): void => {
    outcomes.push(outcome)
    options.told(outcome)
  }
  const work = async (): Promise<void> => {
    for (let group = waiting.shift(); group !== undefined; group = waiting.shift())
      await runGroup(group, options.cluster, take)
  }
  await Promise.all(Array.from({ length: options.jobs }, work))
  return outcomes
}

const noSuperuser = 'only a superuser could do it without walls, and pods of a cluster have none'

async function runGroup(
  { profile, down, members }: Group,
  cluster: Cluster | undefined,
  take: (outcome: Outcome) => void,
): Promise<void> {
  const open = new Set(members)
  const told = (member: Member, lived: Outcome['lived']): void => {
    open.delete(member)
    take({ class: member.suite.class, profile, isControl: down.length > 0, lived })
  }
  let left: Pick<Lived, 'trouble' | 'skipped'> = { trouble: 'its stage ended before' }
  try {
    const stage = await members[0]!.suite.open({
      profile,
      down: new Set(down),
      ...(cluster === undefined ? {} : { cluster }),
    })
    try {
      for (const member of members)
        told(
          member,
          cluster !== undefined && down.length > 0 && member.attack.isOfSuperusers === true
            ? { name: member.attack.name, hasSucceeded: undefined, skipped: noSuperuser }
            : await member.suite.live(stage, member.attack.name, down.length > 0),
        )
    } finally {
      await stage.close()
    }
  } catch (error) {
    const { message } = error as Error
    left = error instanceof NeedsRoot ? { skipped: message } : { trouble: message }
  }
  for (const member of [...open]) told(member, { name: member.attack.name, hasSucceeded: undefined, ...left })
}
