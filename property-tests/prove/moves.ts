/** What may happen in a world besides what is next: in words that a counterexample is told in. */
import { hands, type Hand, type Login } from '../machines/world/people.ts'
import type { Process } from '../machines/world/processes.ts'
import type { IssueSubject, MergeRequestSubject, Subject } from '../machines/world/forge.ts'
import type { World } from '../machines/world/world.ts'
import type { Move } from './world-model.ts'

export type Moves = (world: World) => readonly Move[]

function move(says: string, act: (world: World) => void, cost: 0 | 1 = 1): Move {
  return { says, cost, act }
}

/** Everybody does what is next, one thing. */
export const next: Moves = (world) => {
  const [channel] = world.actors.channels
  if (channel !== undefined) {
    const [first] = world.actors.mail(channel)
    return [move(`${channel}: ${first?.event.type}`, ({ actors }) => actors.deliver(channel), 0)]
  }
  return [move(whatIsNext(world), (one) => void one.cooperate(), 0)]
}

function whatIsNext({ forge, actors }: World): string {
  const [subject] = forge.dirty
  if (subject) return `the forge tells of ${nameOf(subject)}`
  const [effect] = actors.outbox
  return effect ? `${effect.type} is performed` : 'an agent, or who approves, does what is next'
}

function nameOf({ row }: Subject): string {
  return `${row.kind} ${row.number}`
}

/** Mail, effects and webhooks out of their order; `cost` 0: there is no order. */
export function anyOrder(cost: 0 | 1): Moves {
  return ({ actors, forge }) => [
    ...actors.channels
      .slice(1)
      .map((channel) =>
        move(`${channel}: ${actors.mail(channel)[0]?.event.type}`, (one) => one.actors.deliver(channel), cost),
      ),
    ...actors.performable.map((effect) =>
      move(`${effect.type} of ${effect.actor} is performed`, (one) => one.perform(effect), cost),
    ),
    ...forge.dirty.map((subject) =>
      move(
        `the forge tells of ${nameOf(subject)}`,
        (one) => withSame(one, subject, (same) => one.forge.tell(same)),
        cost,
      ),
    ),
  ]
}

function withSame(world: World, { row }: Subject, act: (same: Subject) => void): void {
  const all: readonly Subject[] = [...world.forge.issues, ...world.forge.mergeRequests]
  const same = all.find((one) => one.row.kind === row.kind && one.row.number === row.number)
  if (same) act(same)
}

const wavering: ReadonlySet<string> = new Set(['openMergeRequest', 'mergeMergeRequest', 'submitTurn', 'interruptTurn'])

/** An effect is performed and asked again, or refused for good. */
export const effectFaults: Moves = ({ actors }) =>
  actors.performable
    .filter(({ type }) => wavering.has(type))
    .flatMap((effect) => [
      move(`${effect.type} is performed, its answer lost`, (one) => one.perform(effect, 'lost')),
      move(`${effect.type} is refused for good`, (one) => one.perform(effect, 'failed')),
    ])

export const podFaults: Moves = ({ processes }) =>
  processes.alive.flatMap((process) => [
    move(`${process.pod} vanishes`, (one) => withPod(one, process, (same) => one.processes.vanish(same))),
  ])

/** Its platform believes that it is gone, and its agent goes on. */
export const zombies: Moves = ({ processes }) =>
  processes.alive.map((process) =>
    move(`${process.pod} is believed gone and goes on`, (one) =>
      withPod(one, process, (same) => one.processes.vanish(same, true)),
    ),
  )

function withPod(world: World, { pod }: Process, act: (same: Process) => void): void {
  const same = world.processes.all.find((one) => one.pod === pod)
  if (same) act(same)
}

/** Any armed timer, whenever; what only reads again says nothing new. */
export const timers: Moves = ({ actors }) =>
  actors.timers
    .filter(({ id }) => !/\.(poll|resync|recheck)\./.test(id))
    .map((timer) =>
      move(`${timer.actor}: ${timer.id.split('.')[2]} is over`, (one) =>
        one.actors.fire(one.actors.timers.find(({ id, actor }) => id === timer.id && actor === timer.actor) ?? timer),
      ),
    )

type AgentAct = readonly [string, (world: World, process: Process) => void]

const common: readonly AgentAct[] = [
  ['ends its turn', (world, process) => world.endTurn(process)],
  ['runs into an error', (world, process) => world.endTurn(process, 'api_error')],
  ['dies within its turn', (world, process) => world.endTurn(process, 'agent_exited')],
  ['asks on the forge and ends its turn', (world, process) => (world.agents.ask(process), world.endTurn(process))],
  ['says its last again', (world, process) => world.agents.repeat(process, process.sent.length - 1)],
]

const ofWork: readonly AgentAct[] = [
  ['submits', (world, process) => world.agents.submit(process)],
  ['submits a large change', (world, process) => world.agents.submit(process, 'major')],
  ['discusses', (world, process) => world.agents.stop(process, 'discuss')],
  ['declines', (world, process) => world.agents.stop(process, 'declined')],
  [
    'commits, and cannot push',
    (world, process) => (world.agents.commit(process), world.endTurn(process, 'end_turn', true)),
  ],
]

const ofImplement: readonly AgentAct[] = [
  ['cites maya', (world, process) => world.agents.claim(process, 'maya')],
  ['cites rita', (world, process) => world.agents.claim(process, 'rita')],
  ['claims without a word', (world, process) => world.agents.claimSelf(process)],
  ['rejects', (world, process) => world.agents.stop(process, 'rejected')],
  ['writes another plan', (world, process) => world.agents.note(process, 'plan')],
]

const ofReview: readonly AgentAct[] = [
  ['approves', (world, process) => world.agents.review(process, 'approve')],
  ['approves what it read first', (world, process) => world.agents.review(process, 'approve', true)],
  ['asks for changes', (world, process) => world.agents.review(process, 'request_changes')],
  [
    'leaves its workspace dirty and approves',
    (world, process) => {
      process.isClean = false
      world.agents.review(process, 'approve')
    },
  ],
]

const concluding: readonly AgentAct[] = [
  ['concludes', (world, process) => world.agents.conclude(process)],
  ['finds nothing', (world, process) => world.agents.conclude(process, true)],
]

const byKind: Readonly<Record<string, readonly AgentAct[]>> = {
  implement: [...ofWork, ...ofImplement],
  documentation: ofWork,
  upgrade: ofWork,
  review: ofReview,
  brainstorm: concluding,
  incident: concluding,
  refine: concluding,
}

/** Its outcomes may come at any time; everything else only within a turn. */
export const agents: Moves = ({ processes }) =>
  processes.alive.flatMap((process) => {
    const isRunning = processes.running(process) !== undefined
    const acts = isRunning ? [...common, ...(byKind[process.kind] ?? [])] : (byKind[process.kind] ?? [])
    return acts.map(([says, act]) =>
      move(`${process.pod} ${says}`, (one) => withPod(one, process, (same) => act(one, same))),
    )
  })

type IssueAct = readonly [string, (world: World, subject: IssueSubject) => void]

function says(who: Login, text: string): readonly [string, (world: World, subject: Subject) => void] {
  return [`${who} writes "${text}"`, ({ forge }, subject) => forge.comment(subject, who, text)]
}

/** Heard before the hand comes: a withdrawal that nobody knew of is nobody's to keep. */
function holds({ forge }: World, subject: Subject): void {
  forge.comment(subject, 'maya', '/hold')
  forge.tell(subject)
}

/** Whoever may write to a repository edits and deletes what others wrote; a lost event says it was nobody. */
function ofOthers(by: Hand): readonly IssueAct[] {
  return [
    [
      `maya writes "/hold", and ${by} edits it`,
      (world, subject) => {
        holds(world, subject)
        world.forge.editComment(subject, 'maya', by, 'fine')
      },
    ],
    [
      `maya writes "/hold", and ${by} deletes it`,
      (world, subject) => {
        holds(world, subject)
        world.forge.deleteComment(subject, 'maya', by)
      },
    ],
    [
      `${by} makes "/approve" of the newest comment of maya`,
      ({ forge }, subject) => forge.editComment(subject, 'maya', by, '/approve'),
    ],
  ]
}

const openings: readonly IssueAct[] = [
  ['maya closes it', ({ forge }, subject) => forge.closeIssue(subject, 'maya')],
  ['it is reopened', ({ forge }, subject) => forge.changeIssue(subject, { state: 'open' })],
]

const issueActs: readonly IssueAct[] = [
  says('maya', '/approve'),
  says('maya', '/hold'),
  says('maya', '/cancel'),
  says('maya', '/retry'),
  says('rita', 'hm'),
  says('sam', '/approve'),
  says('platform-bot', '/approve'),
  ['maya takes her comment back', ({ forge }, subject) => forge.deleteComment(subject, 'maya')],
  ['mona deletes the newest comment of maya', ({ forge }, subject) => forge.deleteComment(subject, 'maya', 'mona')],
  ['what maya wrote is gone', ({ forge }, subject) => forge.deleteComment(subject, 'maya', 'nobody')],
  ...hands.flatMap(ofOthers),
  ...openings,
  ['sam edits it', ({ forge }, subject) => forge.editIssue(subject, 'sam', 'edited')],
  ['maya edits it', ({ forge }, subject) => forge.editIssue(subject, 'maya', 'edited by maya')],
  ['it is edited by nobody knows whom', ({ forge }, subject) => forge.editIssue(subject, 'nobody', 'edited')],
]

/** Heard at once, or whenever the webhook comes. */
function onIssues(acts: readonly IssueAct[]): Moves {
  return ({ forge }) =>
    forge.issues.flatMap((subject) =>
      acts.map(([text, act]) =>
        move(`issue ${subject.row.number}: ${text}`, (one) =>
          withSame(one, subject, (same) => act(one, same as IssueSubject)),
        ),
      ),
    )
}

export const peopleOnIssues: Moves = onIssues(issueActs)

/** A maintainer's own words alone: few enough for two in a row. */
export const maintainerOnIssues: Moves = onIssues([says('maya', '/approve'), says('maya', '/hold')])

/** Later than all that happened: what was said in the second of a come-back is of before it. */
function later([text, act]: IssueAct): IssueAct {
  return [text, (world, subject) => (world.actors.sleep(1000), act(world, subject))]
}

/** What brings a delivered issue back, and what only seems to. */
const comeBackActs: readonly IssueAct[] = [
  says('maya', '/retry'),
  says('maya', '/approve'),
  ['maya sets the label anew', ({ forge }, subject) => forge.labelAnew(subject)],
  ...openings,
]

export const comeBacks: Moves = onIssues(comeBackActs.map(later))

type MergeRequestAct = readonly [string, (world: World, subject: MergeRequestSubject) => void]

function pushes(who: Login): MergeRequestAct {
  return [`${who} pushes`, ({ forge }, { row }) => forge.push(row.repository, row.mergeRequest.headBranch, who)]
}

const mergeRequestActs: readonly MergeRequestAct[] = [
  says('maya', '/approve'),
  says('rita', 'hm'),
  says('maya', '/takeover'),
  says('platform-bot', '/approve'),
  pushes('rita'),
  pushes('sam'),
  ['its checks fail', ({ forge }, subject) => forge.changeMergeRequest(subject, {}, { ci: 'failure' })],
  ['its checks run', ({ forge }, subject) => forge.changeMergeRequest(subject, {}, { ci: 'pending' })],
  ['its checks are green', ({ forge }, subject) => forge.changeMergeRequest(subject, {}, { ci: 'success' })],
  ['it conflicts', ({ forge }, subject) => forge.changeMergeRequest(subject, { mergeable: false })],
  ['it gets another base', ({ forge }, subject) => forge.changeMergeRequest(subject, { baseBranch: 'next' })],
  ['it becomes a draft', ({ forge }, subject) => forge.changeMergeRequest(subject, { draft: true })],
  ['maya merges it', ({ forge }, subject) => forge.merge(subject, 'maya')],
  ['maya closes it', ({ forge }, subject) => close(forge, subject)],
  ['it is reopened', ({ forge }, subject) => reopen(forge, subject)],
]

function close(forge: World['forge'], subject: MergeRequestSubject): void {
  if (subject.row.mergeRequest.state === 'open') forge.changeMergeRequest(subject, { state: 'closed' })
}

function reopen(forge: World['forge'], subject: MergeRequestSubject): void {
  if (subject.row.mergeRequest.state === 'closed') forge.changeMergeRequest(subject, { state: 'open' })
}

export const peopleOnMergeRequests: Moves = ({ forge }) =>
  forge.mergeRequests.flatMap((subject) =>
    mergeRequestActs.map(([text, act]) =>
      move(`merge request ${subject.row.number}: ${text}`, (one) =>
        withSame(one, subject, (same) => act(one, same as MergeRequestSubject)),
      ),
    ),
  )

/** By the command line, for Tasks that have no thread. */
export const operators: Moves = ({ actors }) =>
  actors
    .known('task')
    .flatMap((task) => [
      move(`the operator retries ${task}`, (one) => one.order(`task:${task}`, { type: 'task.retry', by: 'maya' })),
      move(`the operator closes ${task}`, (one) =>
        one.order(`task:${task}`, { type: 'task.close', by: 'maya', reason: 'cancelled' }),
      ),
    ])

const dayMs = 24 * 60 * 60 * 1000

/** Turns that use what they may, maintainers who add to it, and days that begin. */
export const spenders: Moves = ({ processes, forge, actors }) => [
  ...processes.alive
    .filter((process) => processes.running(process))
    .map((process) =>
      move(`${process.pod} ends its turn and used all that it may`, (one) =>
        withPod(one, process, (same) => one.endTurn(same, 'end_turn', false, one.mostPerTurn)),
      ),
    ),
  ...forge.mergeRequests.flatMap((subject) =>
    ['/budget +4', '/budget +9'].map((text) =>
      move(`merge request ${subject.row.number}: maya writes "${text}"`, (one) =>
        withSame(one, subject, (same) => one.forge.comment(same, 'maya', text)),
      ),
    ),
  ),
  move('the next day begins', (one) => {
    one.actors.sleep(dayMs)
    for (const timer of actors.timers.filter(({ id }) => id.includes('.nextDay.')))
      one.actors.fire(one.actors.timers.find(({ id }) => id === timer.id) ?? timer)
  }),
]

/** Slots and budgets that change, or do not. */
export const platform: Moves = () => [
  move('the operator pauses the Project', (world) => world.configure(0)),
  move('the operator gives one slot', (world) => world.configure(1)),
  move('the operator gives two slots', (world) => world.configure(2)),
  move('the budget is nearly spent', (world) => world.budget('normalHeld')),
  move('the budget is spent', (world) => world.budget('allHeld')),
  move('the budget is open', (world) => world.budget('open')),
]
