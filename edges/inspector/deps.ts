import type { MachineDefinition } from '../../machines/definition.ts'
import type { Board, BoardFilter } from '../../machines/why/board.ts'
import type { LastTurn } from '../../machines/why/why.ts'
import type { StoryActor } from '../../machines/why/story.ts'
import type { WhyShown } from '../../machines/why/why-rows.ts'
import type { Clock as RuntimeClock } from '../../runtime/clock.ts'
import type { ActorView, Runtime } from '../../runtime/runtime.ts'
import type { AuthenticateByHeaders, Principal } from '../../http/auth/authenticate.ts'
import type { Logger } from '../../http/operational/logging.ts'
import type { Clock, Ids } from '../../http/ports.ts'
import type { CodeFlow } from '../../http/auth/code-flow.ts'
import type { Attempts } from './access/attempts.ts'
import type { Sessions } from './access/sessions.ts'
import type { Tickets } from './access/tickets.ts'

/** What of the runtime is looked at: nothing here can send an event (INSPECTOR-RULE-1). */
export type Observed = Pick<
  Runtime,
  'read' | 'find' | 'tally' | 'history' | 'pendingEffects' | 'pendingTimers' | 'subscribe'
>

export interface InspectorDeps {
  readonly runtime: Observed
  readonly definitions: readonly MachineDefinition[]
  /** What keeps the turn of a Task, pod or turn from going on, in one sentence. Undefined: nothing, or nobody answers. */
  readonly hindranceOf: (actor: ActorView) => Promise<{ readonly sentence: string } | undefined>
  /** What the agent of a parked Task did last. Undefined: it is no such Task, or no turn of it ended. */
  readonly lastTurnOf: (actor: ActorView) => Promise<LastTurn | undefined>
  /** What `why` has of a Task beside its reason; `turns`: the newest journals of its turns, oldest first. */
  readonly whyOf: (
    task: ActorView<'task'>,
    turns: readonly Pick<StoryActor, 'address' | 'rows'>[],
  ) => Promise<WhyShown | undefined>
  /** What the page opens on. */
  readonly board: (wanted?: BoardFilter) => Promise<Board>
  readonly clock: Clock & Pick<RuntimeClock, 'elapsed'>
  readonly ids: Ids
  readonly logger: Logger
  /** For callers with a bearer token: people's, not pods'. */
  readonly authenticate: AuthenticateByHeaders
  /** Refuses by a Problem who may not hear the feed: its upgrade is no route, so no rule for routes reaches it. Who may not, gets no session. */
  readonly allowFeed: (principal: Principal) => void
  readonly tickets: Tickets
  readonly sessions: Sessions
  /** Absent: nobody signs in at an identity provider. */
  readonly signIn?: SignIn
  /** Host names beside the loopback ones under which the inspector is reached, without ports. */
  readonly hosts?: readonly string[]
  /** The page is reached over TLS, so its cookie may say so. */
  readonly secure?: boolean
  /** The name of the file that is looked at, and of when it is: nothing in it moves. Absent: a runtime, live. */
  readonly file?: string
}

/** By the identity provider. */
export interface SignIn {
  readonly flow: CodeFlow
  readonly attempts: Attempts
  /** Address of this server for people, without a path: the provider leads their browsers back to it. */
  readonly publicUrl: () => string
  /** Of the token, as `ROLE_CLAIM` names one: the login on the forge of whoever signs in. Empty: people type it. */
  readonly loginClaim: string
}
