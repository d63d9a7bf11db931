/**
 * Histories of a world: what people, agents, the forge, pods and time do, in words that print themselves. A command
 * looks at the world around the machines (subjects, processes, mail, timers, the outbox), never into a machine; where
 * there is nothing to act on it does nothing. What ends a life is rare, or every history dies young.
 */
import fc from 'fast-check'
import { botLogin, type Login } from '../machines/world/people.ts'
import type { Process } from '../machines/world/processes.ts'
import type { World } from '../machines/world/world.ts'

type Act = (world: World) => void
export type Model = Record<string, never>

class Said implements fc.Command<Model, World> {
  readonly #says: string
  readonly #act: Act

  constructor(says: string, act: Act) {
    this.#says = says
    this.#act = act
  }

  check(): boolean {
    return true
  }

  run(_model: Model, world: World): void {
    world.actors.pass(1000)
    this.#act(world)
  }

  toString(): string {
    return this.#says
  }
}

type Weighted = fc.WeightedArbitrary<Said>

const which = fc.nat(7)
const few = fc.constantFrom(0, 0, 0, 1, 1, 2, 3)

function on<T>(things: readonly T[], index: number, act: (thing: T) => void): void {
  const thing = things[index % Math.max(1, things.length)]
  if (thing !== undefined) act(thing)
}

/** `of` names what the command is about, `with` what varies in it. */
function saying<V>(weight: number, varied: fc.Arbitrary<V>, says: (varied: V, index: number) => string, act: (world: World, varied: V, index: number) => void): Weighted {
  return { weight, arbitrary: fc.tuple(varied, which).map(([one, index]) => new Said(says(one, index), (world) => act(world, one, index))) }
}

function agentDoes<V>(weight: number, what: string, varied: fc.Arbitrary<V>, act: (world: World, process: Process, varied: V) => void): Weighted {
  return saying(
    weight,
    varied,
    (one, index) => `agent ${index} ${what} ${String(one)}`,
    (world, one, index) => on(world.processes.alive, index, (process) => act(world, process, one)),
  )
}

const nothing = fc.constant('')

const flow: readonly Weighted[] = [
  saying(16, fc.constantFrom(1, 2, 4, 8, 16), (steps) => `everybody goes on for ${steps} steps`, (world, steps) => {
    for (let step = 0; step < steps; step++) if (!world.cooperate()) return
  }),
  saying(8, few, (index) => `mail ${index} arrives`, ({ actors }, index) => on(actors.channels, index, (channel) => actors.deliver(channel))),
  saying(8, few, (index) => `effect ${index} is performed`, (world, index) => on(world.actors.outbox, index, (effect) => world.perform(effect))),
  saying(2, few, (index) => `effect ${index} is performed, its answer lost`, (world, index) => on(world.actors.outbox, index, (effect) => world.perform(effect, 'lost'))),
  saying(1, few, (index) => `effect ${index} fails for good`, (world, index) => on(world.actors.outbox, index, (effect) => world.perform(effect, 'failed'))),
  saying(4, few, (index) => `timer ${index} fires`, ({ actors }, index) => on(actors.timers, index, (timer) => actors.fire(timer))),
  saying(2, few, (index) => `webhook ${index} arrives`, ({ forge }, index) => on(forge.dirty, index, (subject) => forge.tell(subject))),
  saying(1, nothing, () => 'everything is told again', ({ forge }) => {
    for (const subject of [...forge.issues, ...forge.mergeRequests]) subject.isDirty = true
  }),
]

const human = fc.constantFrom<Login>('maya', 'maya', 'rita', 'sam')
const issueWords = fc.constantFrom('/approve', '/approve', '/hold', 'lgtm', 'go ahead?', 'hm', '/retry')

const onIssues: readonly Weighted[] = [
  saying(6, fc.tuple(human, issueWords), ([who, text], index) => `${who} writes ${text} on issue ${index}`, ({ forge }, [who, text], index) =>
    on(forge.issues, index, (issue) => forge.comment(issue, who, text)),
  ),
  saying(1, fc.constantFrom('/approve', '/hold', 'lgtm'), (text, index) => `the bot writes ${text} on issue ${index}`, ({ forge }, text, index) =>
    on(forge.issues, index, (issue) => forge.comment(issue, botLogin, text)),
  ),
  saying(2, nothing, (_, index) => `maya takes a comment on issue ${index} back`, ({ forge }, _, index) => on(forge.issues, index, (issue) => forge.deleteComment(issue, 'maya'))),
  saying(1, human, (who, index) => `${who} edits issue ${index}`, ({ forge, actors }, who, index) =>
    on(forge.issues, index, (issue) => forge.changeIssue(issue, { body: `edited ${actors.now}` }, { editedByOther: who !== 'maya' })),
  ),
  saying(1, fc.constantFrom<Login>('maya', 'rita'), (who, index) => `${who} closes issue ${index}`, ({ forge }, who, index) => on(forge.issues, index, (issue) => forge.closeIssue(issue, who))),
  saying(2, nothing, (_, index) => `issue ${index} is reopened`, ({ forge }, _, index) =>
    on(forge.issues, index, (issue) => forge.changeIssue(issue, { state: 'open' })),
  ),
  saying(1, fc.constantFrom('/cancel', 'label off', 'label on'), (what, index) => `maya on issue ${index}: ${what}`, ({ forge }, what, index) =>
    on(forge.issues, index, (issue) => {
      if (what === '/cancel') forge.comment(issue, 'maya', what)
      else forge.changeIssue(issue, { labels: what === 'label on' ? ['agent'] : [] }, { unwantedByMaintainer: what === 'label off', labelledBy: 'maya' })
    }),
  ),
]

const onMergeRequests: readonly Weighted[] = [
  saying(4, fc.tuple(human, fc.constantFrom('/approve', '/approve', 'hm', '/retry')), ([who, text], index) => `${who} writes ${text} on merge request ${index}`, ({ forge }, [who, text], index) =>
    on(forge.mergeRequests, index, (mr) => forge.comment(mr, who, text)),
  ),
  saying(1, fc.constantFrom('/approve', 'hm'), (text, index) => `the bot writes ${text} on merge request ${index}`, ({ forge }, text, index) =>
    on(forge.mergeRequests, index, (mr) => forge.comment(mr, botLogin, text)),
  ),
  saying(3, human, (who, index) => `${who} pushes to merge request ${index}`, ({ forge }, who, index) =>
    on(forge.mergeRequests, index, ({ row }) => forge.push(row.repository, row.mergeRequest.headBranch, who)),
  ),
  saying(3, fc.constantFrom('success', 'failure', 'pending'), (ci, index) => `checks of merge request ${index}: ${ci}`, ({ forge }, ci, index) =>
    on(forge.mergeRequests, index, (mr) => forge.changeMergeRequest(mr, {}, { ci: ci as 'success' })),
  ),
  saying(2, fc.constantFrom(true, false, null), (mergeable, index) => `merge request ${index} is mergeable: ${mergeable}`, ({ forge }, mergeable, index) =>
    on(forge.mergeRequests, index, (mr) => forge.changeMergeRequest(mr, { mergeable })),
  ),
  saying(1, fc.boolean(), (draft, index) => `merge request ${index} is ${draft ? '' : 'no '}draft`, ({ forge }, draft, index) =>
    on(forge.mergeRequests, index, (mr) => forge.changeMergeRequest(mr, { draft })),
  ),
  saying(1, nothing, (_, index) => `maya merges merge request ${index}`, ({ forge }, _, index) => on(forge.mergeRequests, index, (mr) => forge.merge(mr, 'maya'))),
  saying(2, fc.constantFrom('closed', 'open', 'open'), (state, index) => `merge request ${index} becomes ${state}`, ({ forge }, state, index) =>
    on(forge.mergeRequests, index, (mr) => {
      if (mr.row.mergeRequest.state !== 'merged') forge.changeMergeRequest(mr, { state: state as 'open' })
    }),
  ),
]

const failures = fc.constantFrom('end_turn', 'end_turn', 'end_turn', 'api_error', 'max_tokens', 'usage_limit', 'agent_exited', 'shutdown')

const ofAgents: readonly Weighted[] = [
  agentDoes(4, 'ends its turn:', failures, (world, process, stopReason) => world.endTurn(process, stopReason)),
  agentDoes(1, 'ends its turn and cannot push', nothing, (world, process) => world.endTurn(process, 'end_turn', true)),
  agentDoes(3, 'cites', fc.constantFrom<Login>('maya', 'maya', 'rita'), ({ agents }, process, by) => agents.claim(process, by)),
  agentDoes(1, 'claims without a word', nothing, ({ agents }, process) => agents.claimSelf(process)),
  agentDoes(2, 'writes a note:', fc.constantFrom('plan' as const, 'handoff' as const), ({ agents }, process, kind) => agents.note(process, kind)),
  agentDoes(2, 'commits', nothing, ({ agents }, process) => agents.commit(process)),
  agentDoes(3, 'submits', fc.constantFrom('patch' as const, 'patch' as const, 'major' as const), ({ agents }, process, level) => agents.submit(process, level)),
  agentDoes(3, 'reviews on live heads:', fc.constantFrom('approve' as const, 'approve' as const, 'request_changes' as const), ({ agents }, process, verdict) => agents.review(process, verdict)),
  agentDoes(2, 'reviews on heads it read first:', fc.constantFrom('approve' as const, 'request_changes' as const), ({ agents }, process, verdict) => agents.review(process, verdict, true)),
  agentDoes(2, 'says', fc.constantFrom('discuss' as const, 'discuss' as const, 'rejected' as const, 'declined' as const), ({ agents }, process, action) => agents.stop(process, action)),
  agentDoes(2, 'repeats call', few, ({ agents }, process, index) => agents.repeat(process, index)),
  agentDoes(1, 'asks on the forge', nothing, ({ agents }, process) => agents.ask(process)),
  agentDoes(1, 'has a clean workspace:', fc.boolean(), (_world, process, isClean) => {
    process.isClean = isClean
  }),
]

const ofThePlatform: readonly Weighted[] = [
  saying(2, fc.boolean(), (isZombie, index) => `pod ${index} vanishes${isZombie ? ', and its agent goes on' : ''}`, ({ processes }, isZombie, index) =>
    on(processes.alive, index, (process) => processes.vanish(process, isZombie)),
  ),
  saying(2, fc.constantFrom(0, 1, 2), (slots) => `the operator gives ${slots} slots`, (world, slots) => world.configure(slots)),
  saying(2, fc.constantFrom('open' as const, 'open' as const, 'normalHeld' as const, 'allHeld' as const), (state) => `the token budget is ${state}`, (world, state) => world.budget(state)),
]

const command = fc.oneof(...flow, ...onIssues, ...onMergeRequests, ...ofAgents, ...ofThePlatform)

/** `size: max`: fast-check's own default ends most histories before they begin. */
export const commands: fc.Arbitrary<Iterable<fc.Command<Model, World>>> = fc.commands([command], { maxCommands: 60, size: 'max' })

/** Small steps of a world in which everybody does what is next: where the history sets in. */
export const lead: fc.Arbitrary<number> = fc.integer({ min: 0, max: 140 })
