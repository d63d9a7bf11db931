/**
 * What S3 says of the orchestrator, row by row, and the test that holds it. `rows.test.ts` looks that each is there.
 *
 * Not here: what the other lists name already, the wrapper (`wrapper/testing/contract-rows.ts`), document 2 (`edges/agents/contract-rows.ts`)
 * and the states with their transitions, stop sequence and stall escalation (`machines/lifecycle-rows.ts`). And what no test holds yet:
 * the fields that only pods of a cluster can follow (`agent.image`, extra environment, volumes and containers,
 * volume classes and sizes, `agentRunAsNonRoot`, network policies), the memory stack (sizes only grow, `memory.phase`, `memory.endpoint`,
 * `memory.externalEndpoint`), `alerting.phase` and `alerting.endpoint`, the boards and forge B's routes.
 */
import { projectRows } from './project-rows.ts'

export interface ContractRow {
  /** Where S3 says it, and in our own words what. */
  readonly row: string
  /** Below the root of the project. */
  readonly file: string
  readonly title: string
}

export type Row = readonly [row: string, file: string, title: string]

const webhooks = 'edges/forge/webhooks/route.test.ts'
const mirror = 'edges/forge/mirror/mirror.test.ts'
const writes = 'edges/forge/outbound/writes.test.ts'
const rate = 'edges/forge/rate-limit.test.ts'
const alert = 'edges/alerts/route.test.ts'
const callbacks = 'edges/wrapper/inbound.test.ts'
const metric = 'edges/telemetry/metrics.test.ts'
const hosted = 'cli/orchestrator/orchestrator.integration.test.ts'
const scheduled = 'cli/orchestrator/schedule.integration.test.ts'
const pods = 'cli/pod-environment.test.ts'
const people = 'machines/rules/people.test.ts'

const endpoints: readonly Row[] = [
  ['forge webhook: 202 when routed', hosted, 'is taken when it is signed, and once however often it is delivered'],
  [
    'forge webhook: 202 for what nothing handles',
    webhooks,
    'a ping answers 200 and an event type that nothing handles 202 unrouted; neither is stored',
  ],
  ['alerts: 202', alert, 'a firing alert asks for an incident Task in the slots of alerts, durable before 202'],
  ['alerts: not firing is accepted and discarded', alert, '1.8: what is not firing is accepted and discarded'],
  ['alerts: one incident', scheduled, 'mints one incident Task, however often it fires, and none when it is over'],
  [
    'turn-complete: on the internal listener alone',
    'cli/orchestrator/authority.integration.test.ts',
    'serves no callback on the listener that the world reaches',
  ],
  [
    'turn-complete: on port 8082 unless said',
    'cli/settings.test.ts',
    'need the identity provider and a key of the model; the rest has defaults',
  ],
  [
    'turn-complete: a hint',
    callbacks,
    'signed by its own pod is a hint to its turn, and nothing that it claims is passed on (rulings 4.6)',
  ],
]

const webhookOrder: readonly Row[] = [
  ['size before the Project', hosted, 'of 6 MiB for an unknown Project'],
  ['Project before the signature', webhooks, 'an unknown Project, even with a bad signature'],
  [
    'provider before the secret',
    hosted,
    'of another provider than the Project’s, which is said before its missing Secret',
  ],
  [
    'secret at each delivery',
    webhooks,
    'S3 Authentication: the secret is read at each delivery: a rotated one holds at once',
  ],
  ['signature before the content', webhooks, 'a wrong signature over what is no JSON'],
  ['GitHub’s own example', webhooks, "GitHub's known answer verifies, and not with another body, secret or form"],
  ['alerts: the bearer is read at each delivery', alert, 'the secret is read at each delivery'],
]

const errors: readonly Row[] = [
  ['body over 5 MiB: 413', webhooks, 'a body over 5 MiB'],
  ['provider not recognized: 400', webhooks, 'headers of no known provider'],
  ['Project unknown: 404', webhooks, 'an unknown Project, even with a bad signature'],
  ['another provider: 400', webhooks, "the other provider's headers"],
  [
    'secret unreadable, key missing or empty: 500',
    webhooks,
    'S3 Errors: a Secret that %s is our fault: 500, and the forge may redeliver',
  ],
  ['signature wrong: 401', webhooks, 'a wrong signature'],
  ['signature missing: 401', webhooks, 'a missing signature'],
  ['all of them, and nothing is stored', webhooks, 'S3 Errors: %s is answered %i %s, and nothing is stored'],
  ['alerts: mismatch 401', alert, 'S3 Errors: %s bearer is 401'],
  ['alerts: secret unreadable 500', alert, 'S3 Errors: a secret %s is 500, and says nothing of where it is'],
  ['alerts: body over 5 MiB 413', alert, 'S3 Errors: a body over 5 MiB is 413'],
  [
    'alerts: disabled is not routed',
    alert,
    'S3 Errors: an unknown Project is 404, one that takes no alerts is not routed, before any secret is read',
  ],
  [
    'turn-complete: signature missing or wrong 401',
    callbacks,
    'without a signature, or with one of nobody, is refused and changes nothing',
  ],
]

const intake: readonly Row[] = [
  ['1: the bot', people, 'rule 1: the bot'],
  ['2: maintainers', people, 'rule 2: a maintainer'],
  ['3: listed reporters', people, 'rule 3: a listed reporter'],
  ['3: nobody else', people, 'rule 3: one who is not listed'],
  ['4: an empty list takes anybody', people, 'rule 4: anybody when the list is empty'],
  ['5: no login while a gate is active', people, 'rule 5: no name while a gate is active'],
  ['on issues', mirror, 'an issue by somebody outside reporterLogins stays unanswered until a maintainer labels it'],
  ['on comments', 'cli/orchestrator/authority.integration.test.ts', 'is not touched by a comment of a stranger'],
  ['over the whole orchestrator', hosted, 'an issue by someone outside reporterLogins stays unanswered, label and all'],
]

const traffic: readonly Row[] = [
  [
    'one bucket for readers and writers',
    rate,
    'a burst goes out at once, what is beyond it waits its turn, and too long a wait is refused',
  ],
  ['Retry-After and X-RateLimit-Reset', rate, '%i with %j is read as %j'],
  [
    'a wait, no failure',
    writes,
    'a rate limit is a wait as long as the forge says, for all calls of the Project, and no failure',
  ],
  ['counted', rate, 'what the forge closed stays closed until it said, and is counted'],
]

const others: readonly Row[] = [
  [
    'metrics: every series is documented',
    metric,
    'docs/metrics.md has a row for each series, as the program has it, and no other',
  ],
  [
    'metrics: handoff=none',
    metric,
    'S3 stop sequence step 4: a stop with nothing to go on from is counted with handoff=none, a pod where no agent ran is not',
  ],
  [
    'metrics: recreations by reason',
    metric,
    'a pod that comes after a restart is counted by how the one before ended, which another process saw',
  ],
  [
    'versioning: the contract version reaches the pod',
    pods,
    'the wrapper of a pod knows its Task, its place and its repositories through the gateway',
  ],
]

const sections = {
  ...projectRows,
  Endpoints: endpoints,
  'Webhook order': webhookOrder,
  Errors: errors,
  'Reporter intake gate': intake,
  'Forge traffic': traffic,
  'Metrics and versioning': others,
}

export const contractRows: readonly ContractRow[] = Object.entries(sections).flatMap(([section, rows]) =>
  rows.map(([row, file, title]) => ({ row: `${section}: ${row}`, file, title })),
)
