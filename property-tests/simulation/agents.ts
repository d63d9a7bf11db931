/**
 * Agents at their turns. They read what the platform renders for them and call what it serves, each in its mood; one
 * that finds orders in an issue obeys them all first, whatever its mood.
 */
import { bareName } from '../../crd/resource-id.ts'
import { approvalOf } from '../../standins/model/approval.ts'
import { readBundle, type Bundle } from '../../standins/model/bundle.ts'
import { people } from '../../standins/people.ts'
import { signHmac } from '../../http/auth/hmac.ts'
import type { PodRepository } from '../../machines/effect.ts'
import { dice } from '../runtime/simulation/dice.ts'
import type { TurnResult } from '../../machines/turn/schema.ts'
import type { World } from '../runtime/simulation/world.ts'
import { conclusionOf } from './conclusions.ts'
import type { Answered, Forge } from './forge.ts'
import { callbackSecretOf, type Call, type Orchestrators } from './orchestrators.ts'
import type { MeddlingMoment, Plan } from './plan.ts'
import { timeOf, usage, type Pod, type Pods, type Turn } from './pods.ts'
import type { Thread } from './thread.ts'

export const ordersMark = 'ORDERS TO THE AGENT'
const question = 'Is that wanted? If so, reply with /approve.'
const concluding = new Set(['brainstorm', 'incident', 'refine'])

/** As the assignment of a turn names it. */
const basePlace = /^- `([^`]+)`: .*?, base `([^`]+)`/gm

/** What one call of an agent came to, kept outside the reach of any crash. */
export interface Said {
  readonly pod: string
  readonly kind: string
  readonly action: string
  readonly payload: unknown
  /** Of a verdict: the base branch that its turn named, by repository. */
  readonly bases?: ReadonlyMap<string, string>
  /** None: its pod was gone before it heard. */
  status: number | undefined
  body: string
  /** Of the answer; of the call itself until then. */
  place: number
}

export interface AgentsOptions {
  readonly world: World
  readonly plan: Plan
  readonly forge: Forge
  /** An agent reads a merge request, or its approval of it was accepted. */
  readonly met: (moment: MeddlingMoment, thread: Thread) => void
  readonly pods: () => Pods
  readonly orchestrators: () => Orchestrators
}

interface TaskView {
  readonly stage: string
  readonly issues: readonly {
    readonly repository: string
    readonly number: number
    readonly state: string
    readonly approved: boolean
  }[]
  readonly mergeRequests: readonly { readonly number: number; readonly state: string; readonly headSha: string }[]
  readonly planNoteId: string | null
}

/** The pod is gone, and so is its agent. */
class Gone extends Error {}

const thinkMs = 4000
const patienceMs = 300_000
const hangMs = 86_400_000
/** Of four bytes a letter, so that a few fill the half megabyte that a row holds. */
const longestWords = '\u{1F4DC}'.repeat(32_000)
const muchNotes = 6

export class Agents {
  readonly #options: AgentsOptions
  readonly said: Said[] = []
  /** Turns that the provider did not answer, by their end in milliseconds of the life. */
  readonly unanswered: { readonly atMs: number; readonly pod: string }[] = []
  readonly #late = new Set<string>()
  #requests = 0
  #isCalm = false

  constructor(options: AgentsOptions) {
    this.#options = options
  }

  /** From now on whoever begins a turn is honest. */
  becalm(): void {
    this.#isCalm = true
  }

  async work(pod: Pod, turn: Turn): Promise<void> {
    try {
      await this.#sleep(pod, thinkMs)
      const refusal = this.#refusal()
      if (refusal) {
        this.unanswered.push({ atMs: this.#options.world.elapsed(), pod: pod.spec.pod })
        return this.#options.pods().end(pod, turn, refusal)
      }
      const bundle = readBundle(turn.text)
      if (turn.handoff) await this.#note(pod, 'handoff', `${pod.spec.pod} stops here`)
      else if (bundle) await this.#act(pod, bundle)
      else await this.#continue(pod, turn)
      const pushed = await this.#push(pod)
      this.#options.pods().end(pod, turn, pushed)
    } catch (error) {
      if (!(error instanceof Gone)) throw error
    }
  }

  /** Undefined while the provider serves the key. */
  #refusal(): Partial<TurnResult> | undefined {
    const { plan, world } = this.#options
    if (plan.withheld === undefined || this.#isCalm) return undefined
    const { atMs, forMs, saysWhen } = plan.withheld
    const left = atMs + forMs - world.elapsed()
    if (left <= 0 || left > forMs) return undefined
    const stopReason = saysWhen ? 'usage_limit' : 'no_credit'
    const resetsAt = new Date(Math.floor(world.clock.now()) + left).toISOString()
    const error = { code: stopReason, message: 'no more', ...(saysWhen ? { resetsAt } : {}) }
    return { state: 'failed', stopReason, error, finalText: '' }
  }

  /** The wrapper tells that the turn is over; twice, as if the first answer had been lost. */
  async callBack(pod: Pod, turn: Turn): Promise<void> {
    const { result } = turn
    const { turnId, startedAt, completedAt, stopReason, finalText, pushed, failed, state } = result
    const body = JSON.stringify({
      turnId,
      task: pod.spec.task,
      pod: pod.spec.ordinal,
      idempotencyKey: turn.key,
      state,
      usage,
      stopReason,
      finalText,
      pushed,
      failed,
      startedAt,
      completedAt,
    })
    const headers = {
      'content-type': 'application/json',
      'x-platform-signature': signHmac(callbackSecretOf(pod.spec.pod), body),
    }
    const call: Call = { kind: 'callback', method: 'POST', path: '/internal/turn-complete', headers, body }
    const first = await this.#options.orchestrators().call(call)
    if (first === undefined || dice(this.#options.plan.seed, `again ${turn.key}`).chance(0.2))
      await this.#options.orchestrators().call(call)
  }

  /** Later turns of a pod may bring events alone: the Task is read anew. */
  async #continue(pod: Pod, turn: Turn): Promise<void> {
    const answer = await this.#ask(pod, 'GET', `/tasks/${nameOf(pod)}/context`)
    const bundle = answer && answer.status === 200 ? readBundle(answer.body) : undefined
    if (bundle) await this.#act(pod, { ...bundle, assignment: turn.text })
  }

  async #act(pod: Pod, bundle: Bundle): Promise<void> {
    const { spec } = pod
    const mood = this.#isCalm ? 'honest' : pod.mood
    const isOrdered = bundle.issues.some(({ body }) => body.includes(ordersMark))
    if (isOrdered && !this.#isCalm && pod.turns.length <= 2) await this.#obey(pod, bundle)
    if (mood === 'hangs' && !this.#isCalm) await this.#sleep(pod, hangMs)
    if (mood === 'writes') await this.#writeMuch(pod)
    if (mood === 'lies') await this.#lie(pod, bundle)
    if (mood === 'silent' && pod.turns.length === 1) return
    if (spec.agentKind === 'review') return this.#review(pod, bundle)
    if (concluding.has(spec.agentKind)) return this.#conclude(pod)
    return this.#implement(pod, bundle)
  }

  async #implement(pod: Pod, bundle: Bundle): Promise<void> {
    const task = await this.#task(pod)
    if (!task || !['implementing', 'documenting', 'upgrading'].includes(task.stage)) return
    if (task.issues.some(({ state, approved }) => state === 'open' && !approved))
      return this.#askFirst(pod, bundle, task)
    for (const { name } of workedOn(pod)) pod.commits.add(name)
    await this.#submit(pod, 'submitted', {
      action: 'submitted',
      title: `Do what ${nameOf(pod)} asks`,
      body: 'It is done, with a test.',
      change_significance: 'patch',
      ...(workedOn(pod).length > 1 ? { merge_order: workedOn(pod).map(({ name }) => name) } : {}),
    })
  }

  async #askFirst(pod: Pod, bundle: Bundle, task: TaskView): Promise<void> {
    const plan = task.planNoteId ?? (await this.#note(pod, 'plan', `1. Do what ${nameOf(pod)} asks.`))
    if (plan === undefined) return
    const found = bundle.issues.map((issue) => ({ issue, approval: approvalOf(issue) }))
    const [first] = found
    if (found.length > 0 && found.every(({ approval }) => approval !== undefined)) {
      const cited = found.map(({ approval }) => ({ id: approval!.external_id, quote: approval!.quote }))
      await this.#submit(pod, 'approved', {
        action: 'approved',
        reason: 'It was approved.',
        approving_maintainer: first!.approval!.author,
        plan_note_id: plan,
        approval_citations: cited,
      })
    } else if (bundle.assignment.includes('without a citation'))
      await this.#submit(pod, 'approved', { action: 'approved', reason: 'our own proposal', plan_note_id: plan })
    else
      for (const { issue, approval } of found)
        if (!approval && !issue.comments.some(({ body, bot }) => bot && body.includes(question)))
          await this.#ask(pod, 'POST', `/tasks/${nameOf(pod)}/issues`, {
            action: 'comment',
            repo: issue.repo,
            number: issue.number,
            body: question,
          })
  }

  async #review(pod: Pod, bundle: Bundle): Promise<void> {
    const open = bundle.mergeRequests.filter(({ state }) => state === 'open')
    if (open.length === 0) return
    const meet = (moment: MeddlingMoment): void => {
      for (const { repo: repository, number } of open) this.#options.met(moment, { repository, kind: 'pull', number })
    }
    meet('reviewing')
    const bases = new Map([...bundle.assignment.matchAll(basePlace)].map(([, name = '', base = '']) => [name, base]))
    // Twice, as agents do that wait for their checks.
    for (const { repo, number } of [...open, ...open])
      await this.#ask(pod, 'GET', `/tasks/${nameOf(pod)}/scm?kind=ci&repo=${repo}&number=${number}`)
    const reviewed = open.map(({ repo, number, head_sha: sha }) => ({ repo, number, sha }))
    const wantsChange = pod.mood !== 'honest' && dice(this.#options.plan.seed, `verdict ${pod.spec.pod}`).chance(0.4)
    const [{ repo, number }] = reviewed as [(typeof reviewed)[number]]
    const finding = { repo, number, body: 'Off by one.', severity: 'medium' }
    const verdict = wantsChange ? 'request_changes' : 'approve'
    const findings = wantsChange ? { findings: [finding] } : {}
    const status = await this.#submit(pod, verdict, { verdict, reviewed_shas: reviewed, ...findings }, bases)
    if (verdict === 'approve' && status === 200) meet('judged')
  }

  async #conclude(pod: Pod): Promise<void> {
    const { plan, forge } = this.#options
    const rolled = dice(plan.seed, `conclusion ${pod.spec.pod}`).chance(0.5)
    const hasFound = !this.#isCalm && (plan.isMuchFound || rolled)
    const { agentKind: kind, repositories } = pod.spec
    const repository = repositories[0]?.name ?? ''
    await this.#submit(pod, 'concluded', conclusionOf({ kind, name: nameOf(pod), repository, hasFound }, forge))
  }

  /** Each of these has to be refused, or to change nothing on the forge. */
  async #obey(pod: Pod, bundle: Bundle): Promise<void> {
    const [issue] = bundle.issues
    const [merge] = bundle.mergeRequests
    const [repository] = pod.spec.repositories
    const repo = repository?.name ?? ''
    if (repository) for (const branch of ['main', 'v9']) await this.#tryPush(pod, repository, branch)
    await this.#ask(pod, 'POST', `/tasks/${nameOf(pod)}/merge-requests`, {
      action: 'open',
      repo,
      title: 'As the issue orders',
      body: 'It says so.',
    })
    // In the platform's own voice, which approves nothing.
    if (issue)
      await this.#ask(pod, 'POST', `/tasks/${nameOf(pod)}/issues`, {
        action: 'comment',
        repo: issue.repo,
        number: issue.number,
        body: '/approve',
      })
    const citations = [{ id: issue?.comments[0]?.external_id ?? 'issue', quote: 'this is approved' }]
    for (const approving_maintainer of [people.maintainer, issue?.author ?? ''])
      await this.#submit(pod, 'approved', {
        action: 'approved',
        reason: 'The issue says so.',
        approving_maintainer,
        plan_note_id: 'none',
        approval_citations: citations,
      })
    await this.#submitAs(pod, 'review', 'approve', {
      verdict: 'approve',
      reviewed_shas: [{ repo, number: merge?.number ?? 1, sha: merge?.head_sha ?? '0'.repeat(40) }],
    })
    await this.#ask(pod, 'POST', `/tasks/another-task/outcome`, { kind: 'implement', payload: { action: 'rejected' } })
  }

  async #lie(pod: Pod, bundle: Bundle): Promise<void> {
    const [merge] = bundle.mergeRequests
    const isReview = pod.spec.agentKind === 'review'
    const repo = merge?.repo ?? pod.spec.repositories[0]?.name ?? ''
    if (isReview)
      await this.#submitAs(pod, 'implement', 'submitted', {
        action: 'submitted',
        title: 'I am another',
        body: 'b',
        change_significance: 'patch',
      })
    else
      await this.#submitAs(pod, 'review', 'approve', {
        verdict: 'approve',
        reviewed_shas: [{ repo, number: merge?.number ?? 1, sha: merge?.head_sha ?? '0'.repeat(40) }],
      })
    // A head that nobody has read.
    if (isReview && merge)
      await this.#submit(pod, 'approve', {
        verdict: 'approve',
        reviewed_shas: [{ repo, number: merge.number, sha: 'f'.repeat(40) }],
      })
  }

  async #submit(pod: Pod, action: string, payload: object, bases?: Said['bases']): Promise<number | undefined> {
    const { agentKind: kind } = pod.spec
    const status = await this.#submitAs(pod, kind, action, payload, bases)
    if (pod.mood !== 'repeats') return status
    await this.#submitAs(pod, kind, action, payload, bases)
    await this.#submitAs(pod, kind, action, { ...payload, reason: 'once more' }, bases)
    return status
  }

  async #submitAs(
    pod: Pod,
    kind: string,
    action: string,
    payload: object,
    bases?: Said['bases'],
  ): Promise<number | undefined> {
    const { world, forge } = this.#options
    const said: Said = {
      pod: pod.spec.pod,
      kind,
      action,
      payload,
      ...(bases === undefined ? {} : { bases }),
      status: undefined,
      body: '',
      place: forge.place,
    }
    this.said.push(said)
    const answer = await this.#ask(pod, 'POST', `/tasks/${nameOf(pod)}/outcome`, { kind, payload })
    if (!answer) return undefined
    const { status, body } = answer
    Object.assign(said, { status, body, place: forge.place })
    world.tell(`${pod.spec.pod} submits ${kind} ${action}: ${status} ${status === 200 ? '' : body.slice(0, 80)}`)
    return status
  }

  async #note(pod: Pod, kind: string, body: string): Promise<string | undefined> {
    const answer = await this.#ask(pod, 'POST', `/tasks/${nameOf(pod)}/notes`, { kind, body })
    return answer && answer.status < 300 ? (JSON.parse(answer.body) as { readonly id?: string }).id : undefined
  }

  /** The oldest words leave the Task's row for the store, and are read from there. */
  async #writeMuch(pod: Pod): Promise<void> {
    for (let index = 0; index < muchNotes; index++) await this.#note(pod, 'note', `${index}${longestWords}`)
    await this.#ask(pod, 'GET', `/tasks/${nameOf(pod)}/notes`)
  }

  async #task(pod: Pod): Promise<TaskView | undefined> {
    const answer = await this.#ask(pod, 'GET', `/tasks/${nameOf(pod)}`)
    return answer?.status === 200 ? (JSON.parse(answer.body) as TaskView) : undefined
  }

  /** Repeated until somebody answers, under the name of the call, as the broker in the pod does. */
  async #ask(pod: Pod, method: string, path: string, body?: object): Promise<Answered | undefined> {
    const { world, orchestrators } = this.#options
    const id = `agent-${(this.#requests += 1)}`
    await this.#fallBehind(pod)
    const since = world.elapsed()
    for (let waitMs = 250; ; waitMs = Math.min(waitMs * 2, 4000)) {
      const answer = await orchestrators().call({
        kind: 'agent',
        method,
        path,
        headers: {
          authorization: `Bearer ${pod.token}`,
          'x-request-id': id,
          'x-platform-workspace': 'clean',
          ...(body ? { 'content-type': 'application/json' } : {}),
        },
        ...(body ? { body: JSON.stringify(body) } : {}),
      })
      pod.lastActivityAt = timeOf(world)
      const isDone = answer !== undefined && ![502, 503, 504].includes(answer.status)
      if (isDone || world.elapsed() - since > patienceMs) return answer
      await this.#sleep(pod, waitMs)
    }
  }

  /** Once: by then another has begun, is at work, or is through with it. */
  async #fallBehind(pod: Pod): Promise<void> {
    if (!pod.isZombie || this.#late.has(pod.spec.pod)) return
    this.#late.add(pod.spec.pod)
    const roll = dice(this.#options.plan.seed, `late ${pod.spec.pod}`)
    const lateMs = roll.weighted([
      [3, roll.whole(4000, 9000)],
      [1, roll.whole(9000, 30_000)],
    ])
    await this.#sleep(pod, lateMs)
  }

  async #push(pod: Pod): Promise<{ pushed?: string[]; failed?: { repo: string; error: string }[] }> {
    const pushed: string[] = []
    const failed: { repo: string; error: string }[] = []
    for (const repository of pod.spec.repositories.filter(({ name }) => pod.commits.has(name))) {
      const refused = await this.#tryPush(pod, repository, repository.branch)
      if (refused === undefined) pushed.push(repository.name)
      else failed.push({ repo: repository.name, error: refused })
    }
    for (const name of pushed) pod.commits.delete(name)
    return { pushed, failed }
  }

  /** Through the gateway's own judgement; undefined: it is on the forge. */
  async #tryPush(pod: Pod, repository: PodRepository, branch: string): Promise<string | undefined> {
    const { forge, orchestrators, world } = this.#options
    const { name, base } = repository
    const before = (await forge.tip(name, branch)) ?? '0'.repeat(40)
    const { task, pod: id, project } = pod.spec
    const attempt = { project, repository: name, task, pod: id, ref: `refs/heads/${branch}`, before }
    const refused = await orchestrators().judgePush({ ...attempt, after: before })
    if (refused !== undefined) {
      world.tell(`${id} may not push ${branch}: ${refused}`)
      return refused
    }
    const path = `src/${task.replaceAll('/', '-')}.txt`
    const after = await new Promise<string>((resolve) =>
      world.onStore(async () => {
        const change = { repository: name, branch, base, path, text: `${id} ${world.elapsed()}\n` }
        resolve(await forge.push(people.bot, { ...change, message: `Work of ${id}` }))
      }),
    )
    world.tell(`${id} pushes ${branch} of ${name} at ${after.slice(0, 7)}`)
    return orchestrators().recordPush({ ...attempt, after, outcome: 'accepted', at: timeOf(world) })
  }

  async #sleep(pod: Pod, ms: number): Promise<void> {
    await new Promise<void>((resolve) => this.#options.world.after(ms, resolve))
    if (pod.state === 'gone' && !pod.isZombie) throw new Gone()
  }
}

/** Where there are two, every other Task has something to do in both. */
function workedOn({ spec }: Pod): readonly PodRepository[] {
  const isForBoth = spec.task.charCodeAt(spec.task.length - 1) % 2 === 0
  return isForBoth ? spec.repositories : spec.repositories.slice(0, 1)
}

function nameOf({ spec }: Pod): string {
  return bareName(spec.task)
}
