import { ConflictError, NotFoundError, ValidationError } from '../errors.ts'
import type { ForgeComment, ForgePort, ForgeSubjectKind, IssueQuery } from '../port.ts'
import { pageAt, apiPathOf, type GitlabClient, type GitlabRequest } from './client.ts'
import { anyCommentOf, commentOf, heardIn, isInline, isReview, issueOf, threadOf, type Thread } from './records.ts'
import * as schema from './schema.ts'

type IssuePart = Pick<
  ForgePort,
  | 'listIssues'
  | 'issueHistory'
  | 'issue'
  | 'createIssue'
  | 'editIssue'
  | 'closeIssue'
  | 'reopenIssue'
  | 'listComments'
  | 'listCommentsSince'
  | 'createComment'
  | 'editComment'
  | 'ensureLabels'
  | 'changeLabels'
>

export interface Visibility {
  /** Also what only members of the project may read (docs/contract: not mirrored unless the Project wants it). */
  readonly includeConfidential: boolean
}

/** Who changes meanwhile comes first, and is read as a change: no page loses anybody. */
const HISTORY = { order_by: 'updated_at', sort: 'desc' } as const

export function issuePart(client: GitlabClient, visibility: Visibility): IssuePart {
  return { ...threads(client, visibility), ...comments(client, visibility), ...labels(client) }
}

function threads(
  client: GitlabClient,
  { includeConfidential }: Visibility,
): Pick<
  IssuePart,
  'listIssues' | 'issueHistory' | 'issue' | 'createIssue' | 'editIssue' | 'closeIssue' | 'reopenIssue'
> {
  const isShown = (issue: schema.Issue): boolean => includeConfidential || issue.confidential !== true
  return {
    async issueHistory(path, from) {
      const { items, ...rest } = await client.page('list issues', schema.Issue, {
        apiPath: apiPathOf(path, 'issues'),
        query: { ...HISTORY, ...pageAt(from) },
      })
      return { items: items.filter(isShown).map(issueOf), ...rest }
    },
    async listIssues(path, query = {}) {
      const found = await client.list('list issues', schema.Issue, {
        apiPath: apiPathOf(path, 'issues'),
        query: issueQuery(query),
      })
      return found.filter(isShown).map(issueOf)
    },
    issue: async (path, number) => issueOf(await readIssue(client, { includeConfidential }, path, number)),
    async createIssue(path, { title, body, labels = [] }) {
      return issueOf(
        await client.read('create issue', schema.Issue, {
          method: 'POST',
          apiPath: apiPathOf(path, 'issues'),
          body: { title, description: body, labels: labels.join(',') },
        }),
      )
    },
    async editIssue(path, number, { title, body }) {
      const change = { ...(title === undefined ? {} : { title }), ...(body === undefined ? {} : { description: body }) }
      return issueOf(await client.read('edit issue', schema.Issue, issueChange(path, number, change)))
    },
    closeIssue: (path, number) => client.send('close issue', issueChange(path, number, { state_event: 'close' })),
    reopenIssue: (path, number) => client.send('reopen issue', issueChange(path, number, { state_event: 'reopen' })),
  }
}

async function readIssue(
  client: GitlabClient,
  { includeConfidential }: Visibility,
  path: string,
  number: number,
): Promise<schema.Issue> {
  const found = await client.read('read issue', schema.Issue, { apiPath: apiPathOf(path, 'issues', number) })
  if (found.confidential === true && !includeConfidential)
    throw new NotFoundError('read issue', `#${number} is confidential`)
  return found
}

function issueChange(path: string, number: number, body: object): GitlabRequest {
  return { method: 'PUT', apiPath: apiPathOf(path, 'issues', number), body }
}

function issueQuery({ since, state }: IssueQuery): Readonly<Record<string, string>> {
  return {
    order_by: 'updated_at',
    sort: 'asc',
    ...(state === 'open' ? { state: 'opened' } : {}),
    ...(since === undefined ? {} : { updated_after: new Date(since).toISOString() }),
  }
}

function comments(
  client: GitlabClient,
  visibility: Visibility,
): Pick<IssuePart, 'listComments' | 'listCommentsSince' | 'createComment' | 'editComment'> {
  return {
    async listComments(path, on, number) {
      // A note doesn't say that its issue became confidential.
      if (on === 'issue' && !visibility.includeConfidential) await readIssue(client, visibility, path, number)
      const found = await client.list('list comments', schema.Note, {
        apiPath: notesOf(path, on, number),
        query: { order_by: 'created_at', sort: 'asc' },
      })
      return heardIn(found, visibility.includeConfidential)
        .filter((note) => !isInline(note) && !isReview(note, on))
        .map((note) => commentOf(note, threadOf(client.webURL, path, on, number)))
    },
    async listCommentsSince(path, since) {
      const found: ForgeComment[] = []
      for (const { on, number } of await changedSince(client, visibility, path, since)) {
        const thread = threadOf(client.webURL, path, on, number)
        const notes = await notesSince(client, path, thread, since).catch(withoutThread)
        found.push(...heardIn(notes, visibility.includeConfidential).map((note) => anyCommentOf(note, thread)))
      }
      return found.toSorted((left, right) => left.updatedAt - right.updatedAt)
    },
    async createComment(path, on, number, body) {
      const made = await client.read('create comment', schema.Note, {
        method: 'POST',
        apiPath: notesOf(path, on, number),
        body: { body },
      })
      return commentOf(made, threadOf(client.webURL, path, on, number))
    },
    async editComment(path, { on, number, id }, body) {
      if (!/^\d+$/.test(id)) throw new ValidationError('edit comment', `${id} is no plain comment`)
      const made = await client.read('edit comment', schema.Note, {
        method: 'PUT',
        apiPath: `${notesOf(path, on, number)}/${id}`,
        body: { body },
      })
      return commentOf(made, threadOf(client.webURL, path, on, number))
    },
  }
}

function notesOf(path: string, on: ForgeSubjectKind, number: number): string {
  return apiPathOf(path, on === 'issue' ? 'issues' : 'merge_requests', number, 'notes')
}

/** GitLab lists no comments of a whole project. Who writes one changes the moment of its subject. */
async function changedSince(
  client: GitlabClient,
  { includeConfidential }: Visibility,
  path: string,
  since: number,
): Promise<readonly { readonly on: ForgeSubjectKind; readonly number: number }[]> {
  const query = issueQuery({ since })
  const issues = await client.list('list issues', schema.Numbered, { apiPath: apiPathOf(path, 'issues'), query })
  const merges = await client.list('list merge requests', schema.Numbered, {
    apiPath: apiPathOf(path, 'merge_requests'),
    query,
  })
  return [
    ...issues
      .filter(({ confidential }) => includeConfidential || confidential !== true)
      .map(({ iid }) => ({ on: 'issue', number: iid }) as const),
    ...merges.map(({ iid }) => ({ on: 'mr', number: iid }) as const),
  ]
}

/** It went after it was listed. Whoever reads it by itself finds that out; the others are read all the same. */
function withoutThread(error: unknown): [] {
  if (error instanceof NotFoundError) return []
  throw error
}

/** Asked for with the newest change first, so that paging can end where nothing has changed since. */
async function notesSince(
  client: GitlabClient,
  path: string,
  { on, number }: Thread,
  since: number,
): Promise<readonly schema.Note[]> {
  const isOlder = ({ updated_at }: schema.Note): boolean => Date.parse(updated_at) < since
  const found = await client.list(
    'list comments',
    schema.Note,
    { apiPath: notesOf(path, on, number), query: { order_by: 'updated_at', sort: 'desc' } },
    (page) => page.some(isOlder),
  )
  return found.filter((note) => !isOlder(note)).toReversed()
}

function labels(client: GitlabClient): Pick<IssuePart, 'ensureLabels' | 'changeLabels'> {
  return {
    async ensureLabels(path, wanted) {
      const there = await client.list('list labels', schema.Label, { apiPath: apiPathOf(path, 'labels') })
      const known = new Set(there.map((label) => label.name.toLowerCase()))
      for (const { name, color, description } of wanted.filter((label) => !known.has(label.name.toLowerCase()))) {
        const body = { name, color: `#${color}`, description }
        await client
          .send('create label', { method: 'POST', apiPath: apiPathOf(path, 'labels'), body })
          .catch(alreadyThere)
      }
    },
    /** One request, so that no other sees it half done. A scoped label takes its siblings away by itself. */
    async changeLabels(path, number, { add, remove }) {
      if (add.length === 0 && remove.length === 0) return
      const body = {
        ...(add.length === 0 ? {} : { add_labels: add.join(',') }),
        ...(remove.length === 0 ? {} : { remove_labels: remove.join(',') }),
      }
      await client.send('change labels', issueChange(path, number, body))
    },
  }
}

/** Somebody else made it in between. */
function alreadyThere(error: unknown): void {
  if (!(error instanceof ConflictError)) throw error
}
