import { Type } from 'typebox'
import { IssueWrite, issueWriteFaults } from '../../routes/issues.ts'
import { mayWriteMr, MrWrite, mrWriteFaults } from '../../routes/merge-requests.ts'
import { TakeoverRequest } from '../../routes/takeovers.ts'
import { ScmRead, scmReadFaults } from '../../routes/scm.ts'
import { ToolFailure } from '../backend.ts'
import { answers, listAnswer, reading, writingOnce, type Tool } from '../tool.ts'
import type { ToolAnswer } from '../tool-answer.ts'

const written = answers({
  status: Type.String(),
  existing: Type.Boolean(),
  number: Type.Integer(),
  url: Type.String(),
  head_sha: Type.String(),
  external_id: Type.String(),
  code: Type.String(),
  issues: Type.Array(Type.Unknown()),
  push_refused: Type.String(),
})

const offset = Type.Optional(Type.Integer({ minimum: 0, description: 'Reads on in one body that was cut.' }))

function readsOne({ kind, number, limit }: Readonly<Record<string, unknown>>): boolean {
  return kind === 'comments' ? limit === 1 : number !== undefined && kind !== 'ci'
}

/** The body of the one item, from that character on. */
function bodyFrom(answer: ToolAnswer, from: number): ToolAnswer {
  const items = answer.data?.['items']
  if (from === 0 || !Array.isArray(items)) return answer
  const data = {
    ...answer.data,
    items: items.map((item: { body?: unknown }) => ({ ...item, body: String(item.body).slice(from) })),
  }
  return { text: JSON.stringify(data, null, 2), data }
}

/** Whatever comes of the call: without the reason of the push the agent would commit and call again for ever (TOOL-OPEN-14). */
async function withRefusedPush(asked: Promise<ToolAnswer>, refused: string | undefined): Promise<ToolAnswer> {
  if (refused === undefined) return asked
  const answer = await asked.catch((error: unknown) => {
    if (error instanceof ToolFailure) throw new ToolFailure(`${error.message}\nthe push was refused: ${refused}`)
    throw error
  })
  const data = { ...answer.data, push_refused: refused }
  return { text: JSON.stringify(data, null, 2), data }
}

export const scmTools: readonly Tool[] = [
  {
    name: 'scm_read',
    title: 'Read the forge',
    description:
      'kind issues or mr lists, newest change first (or reads one with number); comments reads the newest of a thread (is_pr for a merge request); cursor goes on with the nextCursor of the answer before; commits lists recent ones; ci reads the checks of a merge request live, at most every 20 s. Threads are at most an hour old. Example: {"kind": "ci", "repo": "api", "number": 12}.',
    input: Type.Object({ ...ScmRead.properties, offset }, { additionalProperties: false }),
    output: answers({
      ...listAnswer.properties,
      hint: Type.String(),
      status: Type.String(),
      checks: Type.Array(Type.Unknown()),
      cached: Type.Boolean(),
    }),
    annotations: reading,
    faults: ({ offset: from, ...query }) => [
      ...scmReadFaults(query),
      ...(from === undefined || readsOne(query)
        ? []
        : [{ path: '/offset', message: 'needs number, and limit=1 for comments: it reads on in one body' }]),
    ],
    bounds: ({ kind, offset: from }) => ({
      keep: kind === 'comments' ? 'last' : 'first',
      readOn: (at) => {
        const call = `call again with offset=${Number(from ?? 0) + at}`
        return kind === 'comments' ? `${call} and limit=1` : call
      },
    }),
    call: async ({ offset: from, ...query }, backend) =>
      bodyFrom(
        await backend.get('operator', `tasks/${encodeURIComponent(backend.pod.task)}/scm`, query),
        Number(from ?? 0),
      ),
  },
  {
    name: 'issue_write',
    title: 'Write to an issue',
    description:
      'Comments on an issue (to ask or report), creates, edits or closes one. To ask: comment, then end your turn; the answer starts the next. Labels and approval are not yours to set. Example: {"action": "comment", "repo": "api", "number": 7, "body": "..."}.',
    input: IssueWrite,
    output: written,
    annotations: writingOnce,
    faults: issueWriteFaults,
    call: (wanted, backend) =>
      backend.send('operator', 'POST', `tasks/${encodeURIComponent(backend.pod.task)}/issues`, wanted),
  },
  {
    name: 'mr_write',
    title: 'Write to a merge request',
    description:
      'Comments on a merge request, replies in a thread (in_reply_to), or opens one for your pushed branch. submit_outcome opens it for you when your work is whole: prefer that. Nothing here merges or approves. Example: {"action": "comment", "repo": "api", "number": 12, "body": "..."}.',
    input: MrWrite,
    output: written,
    annotations: writingOnce,
    faults: (input, profile) => [
      ...(mayWriteMr(profile, input['action']) ? [] : [{ path: '/action', message: 'refine may only comment' }]),
      ...mrWriteFaults(input),
    ],
    call: async (wanted, backend) => {
      const failed = wanted['action'] === 'open' ? await backend.push() : []
      const refused = failed.find(({ repo }) => repo === wanted['repo'])?.error
      return withRefusedPush(
        backend.send('operator', 'POST', `tasks/${encodeURIComponent(backend.pod.task)}/merge-requests`, wanted),
        refused,
      )
    },
  },
  {
    name: 'mr_takeover_request',
    title: 'Take a merge request over',
    description:
      'Asks the platform to take over a merge request that you review, because its author or a maintainer asks for it in a comment (by /takeover, or by a mention of the bot). Your Task then ends, and an implement agent continues the work. Not for a request by anybody else. Example: {"repo": "api", "number": 12, "comment_external_id": "4711"}.',
    input: TakeoverRequest,
    output: answers({}),
    annotations: writingOnce,
    call: (wanted, backend) =>
      backend.send('operator', 'POST', `tasks/${encodeURIComponent(backend.pod.task)}/takeover-requests`, wanted),
  },
]
