/** What Tasks and Issues are about: the title of the issue, which a stranger may have written. */
import { Type, type Static } from 'typebox'
import { valueAt } from '../../crd/columns.ts'
import type { Kind } from '../../crd/kinds.ts'
import { ApiError } from '../../http/problems/api-error.ts'
import { listAll, type OrchestratorClient } from '../server/client.ts'

interface View {
  readonly metadata: { readonly name: string; readonly namespace: string }
  readonly spec: Readonly<Record<string, unknown>>
  readonly status: Readonly<Record<string, unknown>>
}

const Issue = Type.Object({
  metadata: Type.Object({ name: Type.String(), namespace: Type.String() }),
  status: Type.Object({ title: Type.Optional(Type.Unknown()) }),
})

const titleCharacters = 40

/** Its first line; cut to 40 letters for a table. */
export function titleIn(title: string, isWhole = false): string {
  const line = (title.split('\n', 1)[0] ?? '').trim()
  return (isWhole || line.length <= titleCharacters ? line : `${line.slice(0, titleCharacters - 1)}…`) || '-'
}

export function hasTitles({ kind }: Kind): boolean {
  return kind === 'Task' || kind === 'Issue'
}

/** Of each view its title. A Task without an issue is about its goal. */
export async function titlesOf(
  client: Pick<OrchestratorClient, 'ask'>,
  { kind }: Kind,
  views: readonly View[],
): Promise<(view: View) => string> {
  if (kind !== 'Task') return ({ status }) => String(status['title'] ?? '')
  const known = views.some((view) => issueOf(view) !== undefined)
    ? await issueTitles(client)
    : new Map<string, string>()
  return (view) => known.get(issueOf(view) ?? '') ?? String(view.spec['goal'] ?? '')
}

/** Who may read one Task only is shown its goal. */
async function issueTitles(client: Pick<OrchestratorClient, 'ask'>): Promise<ReadonlyMap<string, string>> {
  const issues = await listAll<Static<typeof Issue>>(client, '/resources/issues', {}, Issue).catch((error: unknown) => {
    if (error instanceof ApiError && error.status === 403) return []
    throw error
  })
  return new Map(
    issues.map(({ metadata: { namespace, name }, status }) => [`${namespace}/${name}`, String(status.title ?? '')]),
  )
}

/** The first issue of a Task, as its resource is named. */
function issueOf(view: View): string | undefined {
  const [repository, number] = [valueAt(view, '.spec.issues.0.repository'), valueAt(view, '.spec.issues.0.number')]
  return number === '' ? undefined : `${view.metadata.namespace}/${repository}-${number}`
}
